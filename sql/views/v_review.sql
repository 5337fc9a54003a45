-- Visible reviews without text or author. The key tells reviewers apart and cannot be turned back into a member.
-- The barrier keeps a reader's own functions from looking at hidden rows.
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
COMMENT ON VIEW v_review IS 'Visible reviews without their text, the author as a salted key';
COMMENT ON COLUMN v_review.id IS 'Review identifier';
COMMENT ON COLUMN v_review.shop_id IS 'Shop reviewed';
COMMENT ON COLUMN v_review.star_rating IS '1 to 5';
COMMENT ON COLUMN v_review.purity IS 'Cleanliness: GOOD, BAD or UNSELECTED';
COMMENT ON COLUMN v_review.retouch IS 'Retouching quality: GOOD, BAD or UNSELECTED';
COMMENT ON COLUMN v_review.item IS 'Props: GOOD, BAD or UNSELECTED';
COMMENT ON COLUMN v_review.created_at IS 'When it was written';
COMMENT ON COLUMN v_review.modified_at IS 'When it was last changed; equals created_at at first';
COMMENT ON COLUMN v_review.reviewer_key IS 'Same for reviews of one author, meaningless otherwise; differs between databases';
