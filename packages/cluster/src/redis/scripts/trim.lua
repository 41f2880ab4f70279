--[[
Drops the oldest events that retention no longer keeps. Never drops an event after the last recorded position. So a
recorded position that is older than every event in the log was trimmed, not lost. Drops nothing if the recorded
position is of another epoch, or if the log has lost it. Must also run while nothing is appended, because events age.

KEYS[1]    the log (stream)
KEYS[2]    the log's meta (hash: epoch, epochRun, ms, seq)

ARGV[1]    how many events to keep
ARGV[2]    how long to keep events, in milliseconds, by the server's clock (which also made the entries' ids)
ARGV[3]    how many bytes of memory the log may use
ARGV[4]    the last recorded position: its epoch; then
ARGV[5..7] its epochRun, its ms, its seq

Returns    how many events were dropped
]]
local log, meta = KEYS[1], KEYS[2]
local count, ageMs, bytesMax = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3])
local recorded = { epoch = ARGV[4], epochRun = tonumber(ARGV[5]), ms = tonumber(ARGV[6]), seq = tonumber(ARGV[7]) }

local last = readLast(meta)
if not last or recorded.epoch ~= last.epoch or hasLostTail(log, last, recorded) or redis.call('EXISTS', log) == 0 then
  return 0
end

local keepCount = mustKeep(last, recorded)
local oldestMs = serverTimeMs() - ageMs
-- By age, but at most everything up to the recorded position.
local firstKeptId = oldestMs <= recorded.ms and integerText(math.max(0, oldestMs))
  or integerText(recorded.ms) .. '-' .. integerText(recorded.seq + 1)

local dropped = redis.call('XTRIM', log, 'MAXLEN', integerText(math.max(count, keepCount)))
dropped = dropped + redis.call('XTRIM', log, 'MINID', firstKeptId)

-- Redis stores a stream in nodes of many entries, and frees memory only by whole nodes. So this part drops whole nodes
-- ('~'). Without LIMIT 0, one call would stop after 100 nodes.
--
-- SAMPLES 0 measures all nodes: by default Redis estimates the size from the five oldest, but events differ in size.
-- The oldest events may also be smaller or larger than the mean. So each step drops at most one eighth, then measures
-- the rest.
local function measureBytes()
  return redis.call('MEMORY', 'USAGE', log, 'SAMPLES', 0) or 0
end
local usedBytes = measureBytes()
while usedBytes > bytesMax do
  local fitCount = math.floor(redis.call('XLEN', log) * math.max(bytesMax / usedBytes, 7 / 8))
  local droppedNow = redis.call('XTRIM', log, 'MAXLEN', '~', integerText(math.max(fitCount, keepCount)), 'LIMIT', 0)
  if droppedNow == 0 then
    break
  end
  dropped = dropped + droppedNow
  usedBytes = measureBytes()
end
return dropped
