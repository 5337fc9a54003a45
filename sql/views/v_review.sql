-- Visible reviews without text or author. The key distinguishes reviewers but cannot be traced to a member.
-- security_barrier keeps functions in a reader's query from seeing hidden rows.
CREATE OR REPLACE VIEW v_review WITH (security_barrier) AS
SELECT
  id,
  shop_id,
  star_rating,
  purity,
  retouch,
  item,
  created_at,
  modified_at,
  encode(
    substr(sha256((SELECT s.salt FROM reviewer_salt AS s ORDER BY s.id DESC LIMIT 1) || int8send(member_id)), 1, 12), 'hex'
  ) AS reviewer_key
FROM reviews
WHERE hidden_at IS NULL;
COMMENT ON VIEW v_review IS 'Visible reviews without text; the author is a salted key';
COMMENT ON COLUMN v_review.id IS 'Review identifier';
COMMENT ON COLUMN v_review.shop_id IS 'Reviewed shop';
COMMENT ON COLUMN v_review.star_rating IS '1 to 5';
COMMENT ON COLUMN v_review.purity IS 'Cleanliness: GOOD, BAD or UNSELECTED';
COMMENT ON COLUMN v_review.retouch IS 'Retouching quality: GOOD, BAD or UNSELECTED';
COMMENT ON COLUMN v_review.item IS 'Props: GOOD, BAD or UNSELECTED';
COMMENT ON COLUMN v_review.created_at IS 'When it was written';
COMMENT ON COLUMN v_review.modified_at IS 'When it was last changed; equals created_at if never';
COMMENT ON COLUMN v_review.reviewer_key IS 'Pseudonymous key of the author; differs between databases';
