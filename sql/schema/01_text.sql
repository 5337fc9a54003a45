-- Immutable text functions under generated columns. A change here needs a change file that rewrites those columns.

CREATE FUNCTION json_string(value text) RETURNS text
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN to_json(value)::text;
COMMENT ON FUNCTION json_string(text) IS 'The text as a JSON string, quotes included.';

CREATE FUNCTION json_strings(value text []) RETURNS text
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN array_to_json(value)::text;
COMMENT ON FUNCTION json_strings(text []) IS 'The texts as a JSON array of strings.';

CREATE FUNCTION plain_degrees(value double precision) RETURNS text
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN trim_scale(round(value::numeric, 7))::text;
COMMENT ON FUNCTION plain_degrees(double precision)
IS 'Degrees as a plain decimal: at most 7 places, no exponent, no trailing zeros.';

CREATE FUNCTION name_key(value text) RETURNS text
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN lower(regexp_replace(normalize(lower(normalize(value, NFKC)), NFKC), '[[:space:]\u00ad\u200b-\u200d\u2060\ufeff]+', '', 'g'));
COMMENT ON FUNCTION name_key(text)
IS 'The form under which names are compared: NFKC, lower case, without white space and zero-width characters.';

CREATE FUNCTION is_blank(value text) RETURNS boolean
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN value ~ '^[[:space:]\u00ad\u200b-\u200d\u2060\u3164\ufeff]*$';
COMMENT ON FUNCTION is_blank(text) IS 'True when nothing of the text can be seen.';

CREATE FUNCTION opening_hours_are_valid(hours jsonb) RETURNS boolean
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN jsonb_typeof(hours) = 'array' AND NOT jsonb_path_exists(
  hours,
  '$[*] ? (!(@.day >= 1 && @.day <= 7 && @.day.floor() == @.day
    && @.open like_regex "^([01][0-9]|2[0-3]):[0-5][0-9]$"
    && @.close like_regex "^(([01][0-9]|2[0-3]):[0-5][0-9]|24:00)$"))'
);
COMMENT ON FUNCTION opening_hours_are_valid(jsonb)
IS 'True for [{"day": 1-7 (Monday is 1), "open": "HH:MM", "close": "HH:MM"}]; close up to 24:00, or at or before open for past midnight.';

CREATE FUNCTION opening_minutes(hours jsonb) RETURNS int4multirange
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN (
  WITH spans AS (
    SELECT
      ((h ->> 'day')::int - 1) * 1440 + split_part(h ->> 'open', ':', 1)::int * 60
      + split_part(h ->> 'open', ':', 2)::int AS opens,
      ((h ->> 'day')::int - 1) * 1440 + split_part(h ->> 'close', ':', 1)::int * 60
      + split_part(h ->> 'close', ':', 2)::int AS closes
    FROM jsonb_array_elements(hours) AS h
  ),
  forward AS (
    SELECT opens, CASE WHEN closes > opens THEN closes ELSE closes + 1440 END AS closes FROM spans
  )
  SELECT coalesce(
    range_agg(int4range(opens, least(closes, 10080)))
    + coalesce(range_agg(int4range(0, closes - 10080)) FILTER (WHERE closes > 10080), '{}'::int4multirange),
    '{}'::int4multirange
  )
  FROM forward
);
COMMENT ON FUNCTION opening_minutes(jsonb)
IS 'Opening hours as minutes of the week from Monday 00:00, past midnight and past Sunday folded in.';
