-- The log's end: epoch, run (that began the epoch), ms and seq; nil before the first append ever.
local function readLast(meta)
  local known = redis.call('HMGET', meta, 'epoch', 'run', 'ms', 'seq')
  if not known[1] then
    return nil
  end
  return { epoch = known[1], run = tonumber(known[2]), ms = tonumber(known[3]), seq = tonumber(known[4]) }
end

-- True when the log must have held the position that was recorded, and cannot have dropped it by trimming: that stops
-- there.
local function hasLostTail(log, last, recorded)
  if recorded.epoch ~= last.epoch then
    return recorded.run >= last.run
  end
  if recorded.ms > last.ms or recorded.seq > last.seq then
    return true
  end
  if recorded.seq == last.seq then
    return recorded.ms ~= last.ms
  end
  local oldestMs, oldestSeq = positionBeforeFirst(log)
  if not oldestMs then
    return false
  end
  if recorded.seq == oldestSeq then
    return recorded.ms ~= oldestMs
  end
  if recorded.ms <= oldestMs and recorded.seq < oldestSeq then
    return false
  end
  local id = integerText(recorded.ms) .. '-' .. integerText(recorded.seq)
  return #redis.call('XRANGE', log, id, id) == 0
end

-- How many of the newest events trimming must leave: what came after the position that was recorded, of which nobody
-- knows yet whether the log will keep it. All of them where it is of another epoch, or none was recorded.
local function mustKeep(last, recorded)
  if recorded.epoch ~= last.epoch then
    return math.huge
  end
  return last.seq - recorded.seq
end
