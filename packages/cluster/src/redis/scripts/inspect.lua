--[[
Returns the log's extent at one moment.

KEYS[1]    the log (stream)
KEYS[2]    the log's meta (hash: epoch, ms, seq)

ARGV[1]    the epoch of the position to check, or '' for none
ARGV[2]    the position's entry id

Returns    nil before the first append, else { epoch, ms, seq (the log's end), ms, seq (the position right before
           the oldest event; the log's end if the log is empty), 1 if the log holds exactly that position (else 0) }
]]
local log, meta = KEYS[1], KEYS[2]
local last = redis.call('HMGET', meta, 'epoch', 'ms', 'seq')
if not last[1] then
  return nil
end
local oldestMs, oldestSeq = positionBeforeFirst(log)
local contains = 0
if ARGV[1] == last[1] then
  contains = #redis.call('XRANGE', log, ARGV[2], ARGV[2])
end
return { last[1], last[2], last[3], oldestMs or last[2], oldestSeq or last[3], contains }
