-- Notes in the log's meta that a run with this number came. Returns false, and notes nothing, for one that is too old.
-- Of a run only its number is known here; it is too old when a higher one came `ageMaxMs` ago. Three numbers tell: the
-- highest that came (newest), one that came some time before (mark), and one that came long enough before (past).
local function noteRun(meta, run, nowMs, ageMaxMs)
  local marks = redis.call('HMGET', meta, 'past', 'mark', 'markMs', 'newest', 'newestMs')
  local past, mark, markMs = tonumber(marks[1]) or 0, tonumber(marks[2]), tonumber(marks[3])
  local newest, newestMs = tonumber(marks[4]) or 0, tonumber(marks[5])
  for _ = 1, 2 do
    if mark and nowMs - markMs >= ageMaxMs then
      past, mark, markMs = mark, newest, newestMs
    end
  end
  if run < past then
    return false
  end
  if run > newest then
    redis.call('HSET', meta, 'past', integerText(past), 'mark', integerText(mark or run),
      'markMs', integerText(markMs or nowMs), 'newest', integerText(run), 'newestMs', integerText(nowMs))
  end
  return true
end
