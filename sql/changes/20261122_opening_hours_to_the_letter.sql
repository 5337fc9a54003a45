-- Opening hours exactly as the contract defines them. jsonpath searches nested arrays as well and accepts what it cannot compare:
-- with null as a time, a shop would be open all week.

-- Waits for imports and corrections, which would otherwise write invalid hours while this file repairs the existing ones.
LOCK TABLE brands IN SHARE UPDATE EXCLUSIVE MODE;

-- The text of a jsonb value is unique: keys by length, one blank after colons and commas, 1e0 as 1. So one regular expression
-- checks keys, types and values.
CREATE OR REPLACE FUNCTION opening_hours_are_valid(hours jsonb) RETURNS boolean
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN hours = '[]' OR hours::text ~ (
  '^\[(?:\{"day": [1-7], "open": "(?:[01][0-9]|2[0-3]):[0-5][0-9]", '
  || '"close": "(?:(?:[01][0-9]|2[0-3]):[0-5][0-9]|24:00)"\}(?:, )?)+\]$'
);
COMMENT ON FUNCTION opening_hours_are_valid(jsonb)
IS 'True for [{"day": 1-7 (Monday is 1), "open": "HH:MM", "close": "HH:MM"}] and nothing else in it, the day as a plain integer; close up to 24:00, or at or before open for past midnight.';

-- Repairs existing rows: unknown keys are removed, invalid hours become unknown.
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
