-- What foreign keys forbade before keys.sql dropped them: every row below is a fault. Runs as it is in psql, on plain
-- PostgreSQL and on Citus, best on a follower.
SELECT 'review without its author' AS fault, count(*) AS row_cnt
FROM reviews AS r LEFT JOIN members AS m ON m.id = r.member_id
WHERE m.id IS NULL
HAVING count(*) > 0
UNION ALL
SELECT 'report of a deleted review', count(*)
FROM reports AS p LEFT JOIN reviews AS r ON r.id = p.review_id
WHERE p.review_id IS NOT NULL AND r.id IS NULL
HAVING count(*) > 0
UNION ALL
SELECT 'identity without its member', count(*)
FROM member_identities AS i LEFT JOIN members AS m ON m.id = i.member_id
WHERE m.id IS NULL
HAVING count(*) > 0
UNION ALL
SELECT 'member with two identities', count(*)
FROM (SELECT i.member_id FROM member_identities AS i GROUP BY i.member_id HAVING count(*) > 1) AS twice
HAVING count(*) > 0;
