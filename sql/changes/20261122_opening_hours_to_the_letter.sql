-- Opening hours to the letter of the contract. The rule of schema/01_text.sql looked into nested arrays and took what it
-- could not compare for right: null for a time made a shop open all week.

-- No load or correction under way may write by the rule of before what the end of this file would no longer find.
LOCK TABLE brands IN SHARE UPDATE EXCLUSIVE MODE;

-- jsonb is written in one way only: keys by length, one blank after colons and commas, 1e0 as 1. So one expression tells
-- keys, types and values at once: 9 us for a week, where the path took 12. A comma too many it need not look for.
CREATE OR REPLACE FUNCTION opening_hours_are_valid(hours jsonb) RETURNS boolean
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN hours = '[]' OR hours::text ~ (
  '^\[(?:\{"day": [1-7], "open": "(?:[01][0-9]|2[0-3]):[0-5][0-9]", '
  || '"close": "(?:(?:[01][0-9]|2[0-3]):[0-5][0-9]|24:00)"\}(?:, )?)+\]$'
);
COMMENT ON FUNCTION opening_hours_are_valid(jsonb)
IS 'True for [{"day": 1-7 (Monday is 1), "open": "HH:MM", "close": "HH:MM"}] and nothing else in it, the day as a plain integer; close up to 24:00, or at or before open for past midnight.';

-- What the rule of before let in: keys that nobody reads go, hours that are none become unknown.
CREATE TEMP TABLE mended_hours ON COMMIT DROP AS
SELECT s.id, s.opening_hours AS old, coalesce(plain.hours, '[]') AS new
FROM shops AS s
LEFT JOIN LATERAL (
  SELECT jsonb_agg(
    jsonb_build_object('day', e.span -> 'day', 'open', e.span -> 'open', 'close', e.span -> 'close') ORDER BY e.place
  ) AS hours
  FROM jsonb_array_elements(s.opening_hours) WITH ORDINALITY AS e (span, place)
) AS plain ON opening_hours_are_valid(plain.hours)
WHERE NOT opening_hours_are_valid(s.opening_hours);
INSERT INTO audit_log (actor, action, subject, subject_id, reason, detail)
SELECT 'geoshops db upgrade', 'set', 'shop', m.id, 'opening hours that the contract does not know',
  jsonb_build_object('old', jsonb_build_object('opening_hours', m.old), 'new', jsonb_build_object('opening_hours', m.new))
FROM mended_hours AS m;
UPDATE shops AS s SET opening_hours = m.new, modified_at = now() FROM mended_hours AS m WHERE s.id = m.id;
