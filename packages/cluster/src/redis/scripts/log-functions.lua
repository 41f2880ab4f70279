-- Returns the time of this server's clock, in whole milliseconds of Unix time.
local function serverTimeMs()
  local time = redis.call('TIME')
  return tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000)
end

-- Formats a whole number. Lua's `tostring` writes large numbers with an exponent.
local function integerText(number)
  return string.format('%.0f', number)
end

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

-- Returns the milliseconds and the seq of an entry id.
local function parseId(id)
  local dash = string.find(id, '-', 1, true)
  return tonumber(string.sub(id, 1, dash - 1)), tonumber(string.sub(id, dash + 1))
end

-- Returns the position right before the log's first entry (milliseconds, seq), or nil for an empty log. Field `p` of an
-- entry holds the milliseconds of its predecessor, if they differ from its own.
local function positionBeforeFirst(log)
  local first = redis.call('XRANGE', log, '-', '+', 'COUNT', 1)[1]
  if not first then
    return nil
  end
  local ms, seq = parseId(first[1])
  for i = 1, #first[2], 2 do
    if first[2][i] == 'p' then
      ms = tonumber(first[2][i + 1])
    end
  end
  return ms, seq - 1
end

-- Returns the log's end: epoch, epochRun (the run that started the epoch), ms, seq. Nil before the first append.
local function readLast(meta)
  local stored = redis.call('HMGET', meta, 'epoch', 'epochRun', 'ms', 'seq')
  if not stored[1] then
    return nil
  end
  return { epoch = stored[1], epochRun = tonumber(stored[2]), ms = tonumber(stored[3]), seq = tonumber(stored[4]) }
end

-- Returns true if the log has lost the recorded position: the log held it once, does not hold it now, and cannot have
-- trimmed it. Trimming keeps everything after the recorded position (mustKeep).
--
-- Example: the recorded position is seq 3, and the log ends at seq 2. Event 3 is lost.
local function hasLostTail(log, last, recorded)
  -- A position of an earlier epoch is outdated, one of a later epoch is lost. No two epochs have the same number.
  if recorded.epoch ~= last.epoch then
    return recorded.epochRun >= last.epochRun
  end
  if recorded.ms > last.ms or recorded.seq > last.seq then
    return true
  end
  -- A lost number that was given again has another time.
  if recorded.seq == last.seq then
    return recorded.ms ~= last.ms
  end
  local oldestMs, oldestSeq = positionBeforeFirst(log)
  -- An empty log has trimmed everything.
  if not oldestMs then
    return false
  end
  if recorded.seq == oldestSeq then
    return recorded.ms ~= oldestMs
  end
  -- Older than every event in the log: trimmed.
  if recorded.ms <= oldestMs and recorded.seq < oldestSeq then
    return false
  end
  local id = integerText(recorded.ms) .. '-' .. integerText(recorded.seq)
  return #redis.call('XRANGE', log, id, id) == 0
end

-- Returns how many of the newest events trimming must keep: those after the recorded position. No run has confirmed yet
-- that the log holds them. Infinite if the recorded position is of another epoch, or if none is recorded.
local function mustKeep(last, recorded)
  if recorded.epoch ~= last.epoch then
    return math.huge
  end
  return last.seq - recorded.seq
end
