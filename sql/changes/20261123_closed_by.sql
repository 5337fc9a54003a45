-- Who closed a shop: an import may reopen only what an import closed.

ALTER TABLE shops ADD COLUMN closed_by text;
ALTER TABLE shops ADD CONSTRAINT shops_closed_by_known
CHECK (closed_by IN ('IMPORT', 'SOURCE', 'OPERATOR')) NOT VALID;
ALTER TABLE shops ADD CONSTRAINT shops_closed_by_only_when_closed
CHECK (closed_by IS NULL OR status = 'CLOSED') NOT VALID;
COMMENT ON COLUMN shops.closed_by
IS 'Who closed the shop: IMPORT (its source no longer lists it; it reopens when listed again), SOURCE (states it as closed), OPERATOR (command or merge); null when open or unknown';
