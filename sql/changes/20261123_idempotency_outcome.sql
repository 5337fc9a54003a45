-- A stored result names its outcome and the row that it concerns; HTTP status and path follow from these.
ALTER TABLE idempotency_keys ADD COLUMN outcome text, ADD COLUMN item_id bigint;
UPDATE idempotency_keys SET
  outcome = CASE status WHEN 201 THEN 'created' ELSE 'existing' END,
  item_id = substring(location FROM '[0-9]+$')::bigint;
-- squawk-ignore ban-drop-column, adding-not-nullable-field
ALTER TABLE idempotency_keys ALTER COLUMN outcome SET NOT NULL, DROP COLUMN status, DROP COLUMN location;
COMMENT ON TABLE idempotency_keys IS 'Results of creating commands by Idempotency-Key, kept at least 24 hours';
COMMENT ON COLUMN idempotency_keys.outcome IS 'Outcome of the command: created or existing';
COMMENT ON COLUMN idempotency_keys.item_id IS 'Review created, or shop of the favorite';
COMMENT ON COLUMN idempotency_keys.body IS 'Body of the response';
COMMENT ON COLUMN idempotency_keys.request_hash IS 'SHA-256 of method, path and body';

-- replaced by begin_command, begin_command_on and stored_result, or by the service's own statements
-- squawk-ignore ban-drop-function
DROP FUNCTION IF EXISTS begin_act(bigint, bigint);
-- squawk-ignore ban-drop-function
DROP FUNCTION IF EXISTS begin_act_on(bigint);
-- squawk-ignore ban-drop-function
DROP FUNCTION IF EXISTS remembered_answer(bigint, text, bytea);
-- squawk-ignore ban-drop-function
DROP FUNCTION IF EXISTS member_profile(bigint, bigint);
-- squawk-ignore ban-drop-function
DROP FUNCTION IF EXISTS nickname_is_free(bigint, bigint, text);
-- squawk-ignore ban-drop-function
DROP FUNCTION IF EXISTS member_export(bigint, bigint, text);
-- squawk-ignore ban-drop-function
DROP FUNCTION IF EXISTS sessions_json(bigint, bigint, text);
-- squawk-ignore ban-drop-function
DROP FUNCTION IF EXISTS sessions_purge(integer);
-- squawk-ignore ban-drop-function
DROP FUNCTION IF EXISTS unlink_claim();
-- squawk-ignore ban-drop-function
DROP FUNCTION IF EXISTS unlink_done(bigint);
-- squawk-ignore ban-drop-function
DROP FUNCTION IF EXISTS unlink_failed(bigint, text);
-- squawk-ignore ban-drop-function
DROP FUNCTION IF EXISTS ogc_page(double precision [], bigint, integer);
-- squawk-ignore ban-drop-function
DROP FUNCTION IF EXISTS ogc_count(double precision [], integer);
-- squawk-ignore ban-drop-function
DROP FUNCTION IF EXISTS ogc_features(bigint []);
-- squawk-ignore ban-drop-function
DROP FUNCTION IF EXISTS ogc_extent();
