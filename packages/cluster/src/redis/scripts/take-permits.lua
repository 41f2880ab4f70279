--[[
Takes permits of a rate limit by the generic cell rate algorithm (GCRA), on this server's own clock. A client sends a
command again if the connection breaks before the reply. Then the script takes twice: it grants less, never more.

KEYS[1]    when the whole burst is available again, in milliseconds of Unix time; absent while it is available. The key
           expires at that time

ARGV[1]    permits per second
ARGV[2]    the burst: the most permits that are available at once
ARGV[3]    take nothing if fewer permits than this are available
ARGV[4]    take at most this many (0: only read)

Returns    { taken, permits left, milliseconds until ARGV[3] permits are available (0 if they were), milliseconds until
           the whole burst is available }
]]
local permitMs, burst = 1000 / tonumber(ARGV[1]), tonumber(ARGV[2])
local atLeast, atMost = tonumber(ARGV[3]), tonumber(ARGV[4])
-- The in-memory rate limiter forgives the same rounding errors. The stored time still counts them.
local forgivenPermits, forgivenMs, forgivenWaitPermits = 0.001, 0.001, 0.0005

local function wholeMs(ms)
  return math.max(0, math.ceil(ms - math.min(forgivenMs, forgivenWaitPermits * permitMs)))
end

local time = redis.call('TIME')
local now = tonumber(time[1]) * 1000 + tonumber(time[2]) / 1000
local fullAt = tonumber(redis.call('GET', KEYS[1]) or '0')

-- At most a whole burst, also after the limit was lowered or the clock was set back.
local missingMs = math.min(math.max(fullAt - now, 0), burst * permitMs)
local available = math.max(0, math.floor(burst - missingMs / permitMs + forgivenPermits))
local taken, retryAfterMs = 0, 0
if available < atLeast then
  retryAfterMs = wholeMs(missingMs - (burst - atLeast) * permitMs)
else
  taken = math.min(available, atMost)
end

local missingAfterMs = missingMs + taken * permitMs
if taken > 0 then
  redis.call('SET', KEYS[1], string.format('%.4f', now + missingAfterMs), 'PX', math.max(1, math.ceil(missingAfterMs)))
end
return { taken, available - taken, retryAfterMs, wholeMs(missingAfterMs) }
