--[[
Gives unused permits back to a rate limit. Running it twice gives them back twice, but never more than the burst.

KEYS[1]    when the whole burst is available again, in milliseconds of Unix time; absent while it is available

ARGV[1]    permits per second
ARGV[2]    the burst
ARGV[3]    how many permits to give back

Returns    nothing
]]
local permitMs, burst = 1000 / tonumber(ARGV[1]), tonumber(ARGV[2])
local fullAt = redis.call('GET', KEYS[1])
if not fullAt then
  return
end
local time = redis.call('TIME')
local now = tonumber(time[1]) * 1000 + tonumber(time[2]) / 1000
local missingMs = math.min(math.max(tonumber(fullAt) - now, 0), burst * permitMs) - tonumber(ARGV[3]) * permitMs
if missingMs > 0 then
  redis.call('SET', KEYS[1], string.format('%.4f', now + missingMs), 'PX', math.max(1, math.ceil(missingMs)))
else
  redis.call('DEL', KEYS[1])
end
