--[[
Drops what the log no longer keeps, oldest first, up to the highest position recorded: what came after it must be there
for a loss to be noticed. Drops nothing where the log does not know that position. Also needed while nothing is appended,
because events grow old.

KEYS[1]    the log (stream)
KEYS[2]    its meta (hash: epoch, run, ms, seq)

ARGV[1]    how many events to keep
ARGV[2]    for how many milliseconds, by the server's clock (which also made the entries' ids)
ARGV[3]    how many bytes the log may take
ARGV[4]    the highest position recorded: its epoch; then
ARGV[5..7] the number of its epoch's run, its ms, its seq

Returns    how many were dropped
]]
local log, meta = KEYS[1], KEYS[2]
local count, ageMs, bytesMax = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3])
local recorded = { epoch = ARGV[4], run = tonumber(ARGV[5]), ms = tonumber(ARGV[6]), seq = tonumber(ARGV[7]) }

local last = readLast(meta)
if not last or recorded.epoch ~= last.epoch or hasLostTail(log, last, recorded) or redis.call('EXISTS', log) == 0 then
  return 0
end

local kept = mustKeep(last, recorded)
local oldestMs = serverTimeMs() - ageMs
local firstKept = oldestMs <= recorded.ms and integerText(math.max(0, oldestMs))
  or integerText(recorded.ms) .. '-' .. integerText(recorded.seq + 1)

local dropped = redis.call('XTRIM', log, 'MAXLEN', integerText(math.max(count, kept)))
dropped = dropped + redis.call('XTRIM', log, 'MINID', firstKept)

-- Memory is held and freed by whole nodes of some entries each, so only whole nodes are dropped for its sake ('~');
-- without LIMIT 0 one call would stop after a hundred of them.
--
-- All nodes are measured (SAMPLES 0): by itself Redis takes the five oldest for all, and events need not be of one size.
-- Nor need the oldest be as large as the mean by which it is reckoned how many fit: so they go in steps of an eighth at
-- most, and what is left is measured each time.
local function bytes()
  return redis.call('MEMORY', 'USAGE', log, 'SAMPLES', 0) or 0
end
local used = bytes()
while used > bytesMax do
  local fit = math.floor(redis.call('XLEN', log) * math.max(bytesMax / used, 7 / 8))
  local more = redis.call('XTRIM', log, 'MAXLEN', '~', integerText(math.max(fit, kept)), 'LIMIT', 0)
  if more == 0 then
    break
  end
  dropped = dropped + more
  used = bytes()
end
return dropped
