--[[
Appends events to the log, in the given order, each at most once. Running it twice with the same arguments is the same
as running it once, because a client re-sends a command whose reply was lost with its connection.

KEYS[1]    the log (stream)
KEYS[2]    its meta (hash: epoch, run, ms, seq; past, mark, markMs, newest, newestMs)
KEYS[2+n]  the guard of event n: a widget's watermark, or the mark of an event without a widget

ARGV[1]    number of the run that appends
ARGV[2]    how many events to keep, about
ARGV[3]    the word of a new epoch, should one begin
ARGV[4]    the highest position recorded: its epoch, or '' when there is none; then
ARGV[5..7] the number of its epoch's run, its ms, its seq
ARGV[8]    how old a run may be, in milliseconds
ARGV[9..]  per event: its version ('' without a widget), the number n of field values, then n names and values

Returns    { epoch, run of the epoch, ms, seq (the last position), 1 if the log had lost its tail and was begun anew,
           then per event: its seq, or 0 when it was in the log already }. What is appended here has the last ms.
           An error, and nothing is changed, for a run that is too old: of what it brings the guards may have expired.
]]
local log, meta = KEYS[1], KEYS[2]
local run, word = ARGV[1], ARGV[3]
local recorded = { epoch = ARGV[4], run = tonumber(ARGV[5]), ms = tonumber(ARGV[6]), seq = tonumber(ARGV[7]) }
local isAnyRecorded = recorded.epoch ~= ''
local runAgeMaxMs = tonumber(ARGV[8])

local last = readLast(meta)
local now = serverTimeMs()
local began = 0

if not noteRun(meta, tonumber(run), now, runAgeMaxMs) then
  return redis.error_reply('STALERUN a run with a higher number was here long ago')
end

local isRepeated = last and last.epoch == word
if not last or (isAnyRecorded and not isRepeated and hasLostTail(log, last, recorded)) then
  if last or isAnyRecorded then
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
  last = { epoch = word, run = tonumber(run), ms = math.max(now, lastIdMs + 1), seq = 0 }
  -- First what a Redis without memory would refuse: it does not undo what a script has done before it failed.
  redis.call('HSET', meta, 'epoch', word, 'run', run, 'ms', integerText(last.ms), 'seq', '0')
  redis.call('XTRIM', log, 'MAXLEN', 0)
end

local ms, seq, afterMs = math.max(now, last.ms), last.seq, last.ms
local appended = {}
local at = 9
for n = 1, #KEYS - 2 do
  local guard, version, count = KEYS[n + 2], ARGV[at], tonumber(ARGV[at + 1])
  local firstField, lastField = at + 2, at + 1 + count
  local mark = redis.call('GET', guard)
  local isNew = not mark or (version ~= '' and tonumber(version) > tonumber(mark))
  if isNew then
    seq = seq + 1
    local id = integerText(ms) .. '-' .. integerText(seq)
    if afterMs == ms then
      redis.call('XADD', log, id, 'e', last.epoch, unpack(ARGV, firstField, lastField))
    else
      redis.call('XADD', log, id, 'e', last.epoch, 'p', integerText(afterMs), unpack(ARGV, firstField, lastField))
      afterMs = ms
    end
    -- Without KEEPTTL: a watermark that is raised while it was about to expire must stay until it is settled again.
    redis.call('SET', guard, version == '' and '1' or version)
  end
  appended[n] = isNew and seq or 0
  at = lastField + 1
end

if seq > last.seq then
  last.ms, last.seq = ms, seq
  redis.call('HSET', meta, 'ms', integerText(ms), 'seq', integerText(seq))
  local keep = math.max(tonumber(ARGV[2]), mustKeep(last, recorded))
  if keep < seq then
    redis.call('XTRIM', log, 'MAXLEN', '~', integerText(keep))
  end
end

local result = { last.epoch, last.run, last.ms, last.seq, began }
for n = 1, #appended do
  result[5 + n] = appended[n]
end
return result
