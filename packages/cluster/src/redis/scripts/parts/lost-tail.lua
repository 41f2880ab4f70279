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
  -- A position of an earlier epoch is outdated. A position of a later epoch, or of another epoch of the same run, is
  -- lost.
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
