-- Shops closed before closed_by was recorded: a merge or an override of status shows that a person closed them. All others
-- were closed by an import and reopen when their source lists them without a status; a source that states a status
-- decides itself at its next import.

-- No import or correction may run between the two statements.
LOCK TABLE brands IN SHARE UPDATE EXCLUSIVE MODE;

-- Locked in the order of their ids, as reviews and favorites lock them: no deadlock.
UPDATE shops AS s
SET closed_by = CASE WHEN s.merged_into_id IS NOT NULL OR s.overrides ? 'status' THEN 'OPERATOR' ELSE 'IMPORT' END
WHERE s.id IN (
    SELECT c.id FROM shops AS c WHERE c.status = 'CLOSED' AND c.closed_by IS NULL ORDER BY c.id FOR NO KEY UPDATE
  );
ALTER TABLE shops VALIDATE CONSTRAINT shops_closed_by_known;
ALTER TABLE shops VALIDATE CONSTRAINT shops_closed_by_only_when_closed;
