CREATE OR REPLACE FUNCTION write_audit(
  actor text, action text, subject text, subject_id bigint, reason text, detail jsonb
) RETURNS void
LANGUAGE sql VOLATILE
BEGIN ATOMIC
  INSERT INTO audit_log (actor, action, subject, subject_id, reason, detail)
  VALUES (write_audit.actor, write_audit.action, write_audit.subject, write_audit.subject_id, write_audit.reason,
    write_audit.detail);
END;
COMMENT ON FUNCTION write_audit IS 'Adds an entry to the audit log; every change by an operator calls it.';
