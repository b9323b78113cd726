-- ListAuditLog pages through the entries before a number, the newest first. An empty filter lets every entry through; the
-- parties are a range.
-- name: ListAuditLog :many
SELECT *
FROM audit_log
WHERE
    entry_id < @before_id
    AND (@kind::text = '' OR kind = @kind)
    AND (@user_id::text = '' OR (subject = @user_id AND kind IN ('user', 'right')))
    AND (@first_party::text = '' OR party BETWEEN @first_party AND @last_party::text)
    AND (@changed_by::text = '' OR user_id = @changed_by)
    AND changed_at >= @since
    AND changed_at < @until
ORDER BY entry_id DESC
LIMIT @count_max;
