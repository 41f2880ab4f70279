--[[
Tells what the log holds at one moment.

KEYS[1]    the log (stream)
KEYS[2]    its meta (hash: epoch, run, ms, seq)

ARGV[1]    the epoch of a position to look for, or '' for none
ARGV[2]    the position's entry id

Returns    nil before the first append ever, else { epoch, ms, seq (the last position), ms, seq (the position that the
           oldest event came after; the last one where there is none), 1 if exactly the position is in the log }
]]
local log, meta = KEYS[1], KEYS[2]
local known = redis.call('HMGET', meta, 'epoch', 'ms', 'seq')
if not known[1] then
  return nil
end
local oldestMs, oldestSeq = positionBeforeFirst(log)
local contains = 0
if ARGV[1] == known[1] then
  contains = #redis.call('XRANGE', log, ARGV[2], ARGV[2])
end
return { known[1], known[2], known[3], oldestMs or known[2], oldestSeq or known[3], contains }
