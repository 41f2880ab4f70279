--[[
Takes permits of a rate limit by the generic cell rate algorithm, on this server's own clock. Run twice, because a
client re-sends a command whose reply was lost with its connection, it takes twice: less is granted, never more.

KEYS[1]    when the whole burst will be there again, in milliseconds of Unix time; absent while it is there. The key
           expires at that time

ARGV[1]    permits per second
ARGV[2]    the burst: at most so many at once
ARGV[3]    take none when there are fewer than this (0 only looks)
ARGV[4]    take no more than this

Returns    { taken, how many are left, milliseconds until ARGV[3] could be taken (0 when they were), milliseconds until
           the whole burst is there again }
]]
local permitMs, burst = 1000 / tonumber(ARGV[1]), tonumber(ARGV[2])
local atLeast, atMost = tonumber(ARGV[3]), tonumber(ARGV[4])
-- The same allowance for rounding as in the memory's own limiter: the stored time still counts it.
local forgivenPermits, forgivenMs = 0.001, 0.001

local function wholeMs(ms)
  return math.max(0, math.ceil(ms - math.min(forgivenMs, forgivenPermits * permitMs)))
end

local time = redis.call('TIME')
local now = tonumber(time[1]) * 1000 + tonumber(time[2]) / 1000
local fullAt = tonumber(redis.call('GET', KEYS[1]) or '0')

-- Never more than a whole burst: also when the limit was lowered since, or the clock set back.
local missing = math.min(math.max(fullAt - now, 0), burst * permitMs)
local available = math.max(0, math.floor(burst - missing / permitMs + forgivenPermits))
local taken, retryAfter = 0, 0
if available < atLeast then
  retryAfter = wholeMs(missing - (burst - atLeast) * permitMs)
else
  taken = math.min(available, atMost)
end

local missingAfter = missing + taken * permitMs
if taken > 0 then
  redis.call('SET', KEYS[1], string.format('%.4f', now + missingAfter), 'PX', math.max(1, math.ceil(missingAfter)))
end
return { taken, available - taken, retryAfter, wholeMs(missingAfter) }
