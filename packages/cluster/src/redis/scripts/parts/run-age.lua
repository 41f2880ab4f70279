-- Records in the log's meta that a run arrived, and returns true. Returns false, and records nothing, if the run is too
-- old: a higher run arrived at least `ageMaxMs` ago, and dedupe marks of this run's events may have expired.
--
-- Redis has only the number of a run, not its start. But run numbers rise with time, so the meta keeps three of them:
--   highestRun     the highest run that arrived, at highestRunMs
--   checkpointRun  an earlier run, which arrived at checkpointMs
--   minRun         a run that arrived at least `ageMaxMs` ago: lower runs are too old
-- When the checkpoint is `ageMaxMs` old, it becomes minRun, and highestRun becomes the checkpoint. So a run becomes too
-- old between one and two times `ageMaxMs` after the first higher run arrived.
--
-- Example with 10 minutes. Run 41 arrives at 12:00 and is the checkpoint. Run 45 arrives at 12:05. Run 50 arrives at
-- 12:10: minRun is now 41, and the checkpoint is run 45 (12:05). Run 40 arrives at 12:11 and is too old.
local function recordRun(meta, run, nowMs, ageMaxMs)
  local stored = redis.call('HMGET', meta, 'minRun', 'checkpointRun', 'checkpointMs', 'highestRun', 'highestRunMs')
  local minRun, checkpointRun, checkpointMs = tonumber(stored[1]) or 0, tonumber(stored[2]), tonumber(stored[3])
  local highestRun, highestRunMs = tonumber(stored[4]) or 0, tonumber(stored[5])
  -- Twice: after a long pause the next checkpoint is old enough, too.
  for _ = 1, 2 do
    if checkpointRun and nowMs - checkpointMs >= ageMaxMs then
      minRun, checkpointRun, checkpointMs = checkpointRun, highestRun, highestRunMs
    end
  end
  if run < minRun then
    return false
  end
  if run > highestRun then
    redis.call('HSET', meta, 'minRun', integerText(minRun), 'checkpointRun', integerText(checkpointRun or run),
      'checkpointMs', integerText(checkpointMs or nowMs), 'highestRun', integerText(run),
      'highestRunMs', integerText(nowMs))
  end
  return true
end
