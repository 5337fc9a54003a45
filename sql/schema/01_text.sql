-- Immutable text functions that generated columns and constraints use. Whoever changes one also needs a file of sql/changes that rewrites
-- those columns.

CREATE FUNCTION json_string(value text) RETURNS text
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN to_json(value)::text;
COMMENT ON FUNCTION json_string(text) IS 'The text as a JSON string, quotes included.';

-- A number of at most seven decimals is written as it is, because a conversion to numeric is slow.
-- PostgreSQL writes a smaller one than 0.0001 with an exponent.
CREATE FUNCTION degrees_text(value double precision) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN CASE
  WHEN round(value * 1e7) / 1e7 = value AND abs(value) >= 0.0001 THEN value::text
  ELSE trim_scale(round(value::numeric, 7))::text
END;
COMMENT ON FUNCTION degrees_text(double precision) IS 'Degrees as a plain decimal of at most 7 places.';

-- In integers: the average plus 0.05, cut after one decimal.
CREATE FUNCTION rating_text(star_rating_sum integer, review_cnt integer) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN CASE
  WHEN review_cnt = 0 THEN '0.0'
  ELSE ((20 * star_rating_sum + review_cnt) / (20 * review_cnt))::text || '.'
  || ((20 * star_rating_sum + review_cnt) / (2 * review_cnt) % 10)::text
END;
COMMENT ON FUNCTION rating_text(integer, integer) IS 'Average rating with one decimal, half up; 0.0 without reviews.';

CREATE FUNCTION name_key(value text) RETURNS text
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN lower(regexp_replace(normalize(lower(normalize(value, NFKC)), NFKC), '[[:space:]\u00ad\u200b-\u200d\u2060\ufeff]+', '', 'g'));
COMMENT ON FUNCTION name_key(text)
IS 'The form under which names are compared: NFKC, lower case, without white space and zero-width characters.';

CREATE FUNCTION is_blank(value text) RETURNS boolean
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN value ~ '^[[:space:]\u00ad\u200b-\u200d\u2060\u3164\ufeff]*$';
COMMENT ON FUNCTION is_blank(text) IS 'True when nothing of the text can be seen.';

-- The text of a jsonb value is unique: keys by length, one blank after colons and commas, 1e0 as 1. So one regular expression
-- checks keys, types and values. jsonpath would also accept nested arrays, and null as a time, which would mean open all week.
-- Not STRICT: PostgreSQL would not inline a strict function that contains OR.
CREATE FUNCTION opening_hours_are_valid(hours jsonb) RETURNS boolean
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN hours = '[]' OR hours::text ~ (
  '^\[(?:\{"day": [1-7], "open": "(?:[01][0-9]|2[0-3]):[0-5][0-9]", '
  || '"close": "(?:(?:[01][0-9]|2[0-3]):[0-5][0-9]|24:00)"\}(?:, )?)+\]$'
);
COMMENT ON FUNCTION opening_hours_are_valid(jsonb)
IS 'True for [{"day": 1-7 (Monday is 1), "open": "HH:MM", "close": "HH:MM"}] and nothing else in it, the day as a plain integer; close up to 24:00, or at or before open for past midnight.';

-- PL/pgSQL, because PostgreSQL would prepare a function in SQL for every row again.
CREATE FUNCTION opening_minutes(hours jsonb) RETURNS int4multirange
LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $$
DECLARE
  span jsonb;
  midnight integer;
  opens integer;
  closes integer;
  minutes int4multirange := '{}';
BEGIN
  IF hours = '[]' OR NOT public.opening_hours_are_valid(hours) THEN
    RETURN minutes;  -- the table's CHECK rejects invalid hours and names itself in the error
  END IF;
  FOR span IN SELECT value FROM jsonb_array_elements(hours) LOOP
    midnight := ((span ->> 'day')::integer - 1) * 1440;
    opens := midnight + left(span ->> 'open', 2)::integer * 60 + right(span ->> 'open', 2)::integer;
    closes := midnight + left(span ->> 'close', 2)::integer * 60 + right(span ->> 'close', 2)::integer;
    IF closes <= opens THEN
      closes := closes + 1440;
    END IF;
    minutes := minutes + int4multirange(int4range(opens, least(closes, 10080)));
    IF closes > 10080 THEN
      minutes := minutes + int4multirange(int4range(0, closes - 10080));
    END IF;
  END LOOP;
  RETURN minutes;
END $$;
COMMENT ON FUNCTION opening_minutes(jsonb)
IS 'Opening hours as minutes of the week from Monday 00:00, past midnight and past Sunday folded in.';
