--[[
Appends events to the log in the given order, each at most once. Running the script twice with the same arguments has
the same effect as running it once: a client sends a command again if the connection breaks before the reply. The second
reply says that the log has the events already.

The functions that are not defined here are in log-functions.lua, which redis-call.ts puts in front of this script.

KEYS[1]    the log (stream)
KEYS[2]    its meta (hash: epoch, epochRun, ms, seq; minRun, checkpointRun, checkpointMs, highestRun, highestRunMs)
KEYS[2+n]  the dedupe mark of event n: the watermark of its widget, or the mark of an event without a widget

ARGV[1]    the number of the run that appends
ARGV[2]    how many events to keep, approximately; mustKeep may keep more
ARGV[3]    the random id of a new epoch, in case one starts
ARGV[4]    the last recorded position: its epoch, or '' if none is recorded; then
ARGV[5..7] its epochRun, its ms, its seq
ARGV[8]    how long ago a higher run may have arrived, in milliseconds (see recordRun)
ARGV[9..]  per event: its version ('' without a widget), the number of texts that follow, then field names and values
           in turn

An entry has these fields besides the given ones: e, the epoch; p, the ms of the event before it, left out if it
equals the event's own ms. A new epoch starts with an empty log: the script drops what was left of the old one.

Returns    { epoch, epochRun, ms, seq (the log's end), 1 if the log had lost its tail and a new epoch started (else 0),
           then per event: its seq, or 0 if the log had the event already }. All events appended here have the ms of the
           log's end.
           Returns the error STALERUN, and starts no epoch, if the run is too old: the dedupe marks of its events may
           have expired. Also if a new epoch must start, and the run's number is not above those of earlier epochs.
]]
local log, meta = KEYS[1], KEYS[2]
local run, newEpoch = ARGV[1], ARGV[3]
local recorded = { epoch = ARGV[4], epochRun = tonumber(ARGV[5]), ms = tonumber(ARGV[6]), seq = tonumber(ARGV[7]) }
local isAnyRecorded = recorded.epoch ~= ''
local runAgeMaxMs = tonumber(ARGV[8])

local last = readLast(meta)
local now = serverTimeMs()
local startedNewEpoch = 0

if not recordRun(meta, tonumber(run), now, runAgeMaxMs) then
  return redis.error_reply('STALERUN run ' .. run .. ' is too old: a higher run arrived at least ' .. ARGV[8]
    .. ' ms ago. Start the run again with a new number.')
end

-- The first of two calls has started the new epoch already. The recorded position is not in it, but nothing is lost.
local isRepeatedCall = last and last.epoch == newEpoch
if not last or (isAnyRecorded and not isRepeatedCall and hasLostTail(log, last, recorded)) then
  -- The number orders the epochs, and the runs of a process share one. So a second epoch needs another number.
  local highestEpochRun = math.max(last and last.epochRun or -1, isAnyRecorded and recorded.epochRun or -1)
  if tonumber(run) <= highestEpochRun then
    return redis.error_reply('STALERUN run ' .. run .. ' cannot start an epoch: run ' .. integerText(highestEpochRun)
      .. ' has started one. Start the run again with a new number.')
  end
  if last or isAnyRecorded then
    startedNewEpoch = 1
  end
  -- The ids of a stream only rise, even after it was emptied: the new epoch starts after the last id.
  local lastIdMs = -1
  if redis.call('EXISTS', log) == 1 then
    local info = redis.call('XINFO', 'STREAM', log)
    for i = 1, #info, 2 do
      if info[i] == 'last-generated-id' then
        lastIdMs = parseId(info[i + 1])
      end
    end
  end
  last = { epoch = newEpoch, epochRun = tonumber(run), ms = math.max(now, lastIdMs + 1), seq = 0 }
  -- Redis does not roll back a script that fails. So HSET, which a Redis without free memory may reject, comes before
  -- the events are dropped.
  redis.call('HSET', meta, 'epoch', newEpoch, 'epochRun', run, 'ms', integerText(last.ms), 'seq', '0')
  redis.call('XTRIM', log, 'MAXLEN', 0)
end

local ms, seq, previousMs = math.max(now, last.ms), last.seq, last.ms
local appendedSeqs = {}
local argIndex = 9
for n = 1, #KEYS - 2 do
  local markKey, version, count = KEYS[n + 2], ARGV[argIndex], tonumber(ARGV[argIndex + 1])
  local firstField, lastField = argIndex + 2, argIndex + 1 + count
  local mark = redis.call('GET', markKey)
  local isNew = not mark or (version ~= '' and tonumber(version) > tonumber(mark))
  if isNew then
    seq = seq + 1
    local id = integerText(ms) .. '-' .. integerText(seq)
    if previousMs == ms then
      redis.call('XADD', log, id, 'e', last.epoch, unpack(ARGV, firstField, lastField))
    else
      redis.call('XADD', log, id, 'e', last.epoch, 'p', integerText(previousMs), unpack(ARGV, firstField, lastField))
      previousMs = ms
    end
    -- Without KEEPTTL: a raised watermark must not expire until expire-marks.lua sets a new expiry.
    redis.call('SET', markKey, version == '' and '1' or version)
  end
  appendedSeqs[n] = isNew and seq or 0
  argIndex = lastField + 1
end

if seq > last.seq then
  last.ms, last.seq = ms, seq
  redis.call('HSET', meta, 'ms', integerText(ms), 'seq', integerText(seq))
  local keep = math.max(tonumber(ARGV[2]), mustKeep(last, recorded))
  -- An epoch starts with an empty log, so the log holds at most seq events.
  if keep < seq then
    redis.call('XTRIM', log, 'MAXLEN', '~', integerText(keep))
  end
end

local result = { last.epoch, last.epochRun, last.ms, last.seq, startedNewEpoch }
for n = 1, #appendedSeqs do
  result[5 + n] = appendedSeqs[n]
end
return result
