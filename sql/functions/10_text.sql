-- Formats numbers and dates as in the contract. Uses integer arithmetic, because formatting numeric is expensive.
-- Numbers are cast to text before concatenation: anynonarray || text is only STABLE, and PostgreSQL does not inline a
-- function whose body is less immutable than declared.

CREATE OR REPLACE FUNCTION metres(distance_m double precision) RETURNS integer
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN floor(distance_m + 0.5)::integer;
COMMENT ON FUNCTION metres(double precision) IS 'Whole metres, rounded half up.';

CREATE OR REPLACE FUNCTION distance_text(m integer) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN CASE
  WHEN m < 1000 THEN m::text || 'm'
  WHEN (m + 50) / 100 >= 1000 THEN ((m + 500) / 1000)::text || 'km'
  WHEN (m + 50) / 100 % 10 = 0 THEN ((m + 50) / 1000)::text || 'km'
  ELSE ((m + 50) / 1000)::text || '.' || ((m + 50) / 100 % 10)::text || 'km'
END;
COMMENT ON FUNCTION distance_text(integer) IS 'Formats whole metres: 999m, 1km, 1.5km, 100km.';

-- Returns one text, because a function with several result columns must be called in FROM, which costs planning time and
-- a tuplestore.
CREATE OR REPLACE FUNCTION list_text(total integer, truncated boolean, body text) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN total::text || CASE WHEN truncated THEN '+' ELSE '' END || E'\n' || body;
COMMENT ON FUNCTION list_text(integer, boolean, text)
IS 'A list as one text: a line with the number of items, with + if the list was truncated, then the JSON.';

-- A separate function, because only the keyword search ignores words.
CREATE OR REPLACE FUNCTION list_text(total integer, truncated boolean, body text, ignored text []) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN total::text || coalesce(' ' || array_to_string(ignored, ' '), '') || CASE WHEN truncated THEN '+' ELSE '' END || E'\n' || body;
COMMENT ON FUNCTION list_text(integer, boolean, text, text [])
IS 'A list as one text, with the ignored words of its keyword between the number of items and the + of a truncated list.';

CREATE OR REPLACE FUNCTION date_array(moment timestamptz, zone text) RETURNS text
LANGUAGE sql STABLE PARALLEL SAFE
RETURN to_char(moment AT TIME ZONE zone, '[FMYYYY,FMMM,FMDD,FMHH24,FMMI,FMSS')
|| CASE
  WHEN extract(MICROSECOND FROM moment)::bigint % 1000000 = 0 THEN ''
  ELSE ',' || extract(MICROSECOND FROM moment)::bigint % 1000000 * 1000
END || ']';
COMMENT ON FUNCTION date_array(timestamptz, text)
IS 'The moment as [year, month, day, hour, minute, second] in a time zone, with nanoseconds appended if not zero.';

CREATE OR REPLACE FUNCTION minute_of_week(moment timestamptz, zone text) RETURNS integer
LANGUAGE sql STABLE PARALLEL SAFE
RETURN (extract(ISODOW FROM moment AT TIME ZONE zone)::integer - 1) * 1440
+ extract(HOUR FROM moment AT TIME ZONE zone)::integer * 60
+ extract(MINUTE FROM moment AT TIME ZONE zone)::integer;
COMMENT ON FUNCTION minute_of_week(timestamptz, text) IS 'Minutes since Monday 00:00 in a time zone.';

CREATE OR REPLACE FUNCTION wilson_low(good integer, votes integer) RETURNS double precision
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN CASE
  WHEN votes <= 0 THEN 0
  ELSE greatest(
    0,
    (good / votes::float8 + 1.9207 / votes
      - 1.96 * sqrt(good / votes::float8 * (1 - good / votes::float8) / votes + 0.9604 / votes / votes))
    / (1 + 3.8416 / votes)
  )
END;
COMMENT ON FUNCTION wilson_low(integer, integer)
IS 'Lower bound of the share good/votes with 95 % confidence (Wilson 1927, z = 1.96); 0 without votes.';
