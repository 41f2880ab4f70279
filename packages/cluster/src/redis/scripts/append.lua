--[[
Appends events to the log, in the given order, each at most once. Running it twice with the same arguments is the same
as running it once, because a client re-sends a command whose reply was lost with its connection.

KEYS[1]    the log (stream)
KEYS[2]    its meta (hash: epoch, run, ms, seq; past, mark, markMs, newest, newestMs)
KEYS[2+n]  the guard of event n: a widget's watermark, or the mark of an event without a widget

ARGV[1]    number of the run that appends
ARGV[2]    how many events to keep, about
ARGV[3]    the word of a new epoch, should one begin
ARGV[4]    the expected position: its epoch, or '' when none is expected; then
ARGV[5..7] the number of its epoch's run, its ms, its seq
ARGV[8]    how old a run may be, in milliseconds
ARGV[9..]  per event: its version ('' without a widget), the number n of field values, then n names and values

Returns    { epoch, run of the epoch, ms, seq (the last position), 1 if the log had lost its tail and was begun anew,
           then per event: its seq, or 0 when it was in the log already }. What is appended here has the last ms.
           An error, and nothing is changed, for a run that is too old: of what it brings the guards may have expired.
]]
local log, meta = KEYS[1], KEYS[2]
local run, word = ARGV[1], ARGV[3]
local expectedEpoch, expectedRun = ARGV[4], tonumber(ARGV[5])
local expectedMs, expectedSeq = tonumber(ARGV[6]), tonumber(ARGV[7])
local runAgeMaxMs = tonumber(ARGV[8])

local known = redis.call('HMGET', meta, 'epoch', 'run', 'ms', 'seq')
local epoch, epochRun = known[1], tonumber(known[2])
local lastMs, lastSeq = tonumber(known[3]), tonumber(known[4])

-- True when the log must have held the expected position and cannot have dropped it by trimming.
local function hasLostTail()
  if expectedEpoch == '' or epoch == word then
    return false
  end
  if expectedEpoch ~= epoch then
    return expectedRun >= epochRun
  end
  if expectedMs > lastMs or expectedSeq > lastSeq then
    return true
  end
  if expectedSeq == lastSeq then
    return expectedMs ~= lastMs
  end
  local oldestMs, oldestSeq = positionBeforeFirst(log)
  if not oldestMs then
    return false
  end
  if expectedSeq == oldestSeq then
    return expectedMs ~= oldestMs
  end
  if expectedMs <= oldestMs and expectedSeq < oldestSeq then
    return false
  end
  local id = integerText(expectedMs) .. '-' .. integerText(expectedSeq)
  return #redis.call('XRANGE', log, id, id) == 0
end

local now = serverTimeMs()
local began = 0

if not noteRun(meta, tonumber(run), now, runAgeMaxMs) then
  return redis.error_reply('STALERUN a run with a higher number was here long ago')
end

if not epoch or hasLostTail() then
  if epoch or expectedEpoch ~= '' then
    began = 1
  end
  -- The ids of a stream can only rise, also of one that was emptied: the new epoch starts after the last one given.
  local lastIdMs = -1
  if redis.call('EXISTS', log) == 1 then
    local info = redis.call('XINFO', 'STREAM', log)
    for i = 1, #info, 2 do
      if info[i] == 'last-generated-id' then
        lastIdMs = parseId(info[i + 1])
      end
    end
  end
  epoch, epochRun = word, tonumber(run)
  lastMs, lastSeq = math.max(now, lastIdMs + 1), 0
  -- First what a Redis without memory would refuse: it does not undo what a script has done before it failed.
  redis.call('HSET', meta, 'epoch', epoch, 'run', run, 'ms', integerText(lastMs), 'seq', '0')
  redis.call('XTRIM', log, 'MAXLEN', 0)
end

local ms, seq, afterMs = math.max(now, lastMs), lastSeq, lastMs
local appended = {}
local at = 9
for n = 1, #KEYS - 2 do
  local guard, version, count = KEYS[n + 2], ARGV[at], tonumber(ARGV[at + 1])
  local first, last = at + 2, at + 1 + count
  local mark = redis.call('GET', guard)
  local isNew = not mark or (version ~= '' and tonumber(version) > tonumber(mark))
  if isNew then
    seq = seq + 1
    local id = integerText(ms) .. '-' .. integerText(seq)
    if afterMs == ms then
      redis.call('XADD', log, id, 'e', epoch, unpack(ARGV, first, last))
    else
      redis.call('XADD', log, id, 'e', epoch, 'p', integerText(afterMs), unpack(ARGV, first, last))
      afterMs = ms
    end
    -- Without KEEPTTL: a watermark that is raised while it was about to expire must stay until it is settled again.
    redis.call('SET', guard, version == '' and '1' or version)
  end
  appended[n] = isNew and seq or 0
  at = last + 1
end

if seq > lastSeq then
  lastMs, lastSeq = ms, seq
  redis.call('HSET', meta, 'ms', integerText(ms), 'seq', integerText(seq))
  redis.call('XTRIM', log, 'MAXLEN', '~', ARGV[2])
end

local result = { epoch, epochRun, lastMs, lastSeq, began }
for n = 1, #appended do
  result[5 + n] = appended[n]
end
return result
