--[[
Drops what the log no longer keeps, oldest first. Also needed while nothing is appended, because events grow old.

KEYS[1]    the log (stream)

ARGV[1]    how many events to keep
ARGV[2]    for how many milliseconds, by the server's clock (which also made the entries' ids)
ARGV[3]    how many bytes the log may take

Returns    how many were dropped
]]
local log = KEYS[1]
if redis.call('EXISTS', log) == 0 then
  return 0
end
local oldestMs = math.max(0, serverTimeMs() - tonumber(ARGV[2]))

local dropped = redis.call('XTRIM', log, 'MAXLEN', ARGV[1])
dropped = dropped + redis.call('XTRIM', log, 'MINID', integerText(oldestMs))

-- Memory is held and freed by whole nodes of some entries each, so only whole nodes are dropped for its sake ('~');
-- without LIMIT 0 one call would stop after a hundred of them.
local bytes, allowed = redis.call('MEMORY', 'USAGE', log), tonumber(ARGV[3])
if bytes > allowed then
  local keep = math.floor(redis.call('XLEN', log) * allowed / bytes)
  dropped = dropped + redis.call('XTRIM', log, 'MAXLEN', '~', keep, 'LIMIT', 0)
end
return dropped
