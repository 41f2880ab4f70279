--[[
Adds a refused request of a foreign sender to the samples of its integration, if they are kept. It has the same effect
if it runs twice. The set expires with its oldest sample: so none outlives its longest time, even if nobody looks.

KEYS[1]    the mark that samples are kept: until when, in milliseconds of Unix time; expires at that time
KEYS[2]    the sorted set of the samples, by time

ARGV[1]    the current time, in milliseconds of Unix time
ARGV[2]    how long a sample may be kept, in milliseconds
ARGV[3]    how many samples are kept
ARGV[4]    when the request arrived, in milliseconds of Unix time
ARGV[5]    the sample. Both are left out if only the end of the others has changed

Returns    1 if samples are kept, else 0
]]
local untilMs = tonumber(redis.call('GET', KEYS[1]) or '0')
if untilMs <= tonumber(ARGV[1]) then return 0 end
if ARGV[5] then redis.call('ZADD', KEYS[2], ARGV[4], ARGV[5]) end
redis.call('ZREMRANGEBYSCORE', KEYS[2], '-inf', tonumber(ARGV[1]) - tonumber(ARGV[2]))
redis.call('ZREMRANGEBYRANK', KEYS[2], 0, -tonumber(ARGV[3]) - 1)
local oldest = redis.call('ZRANGE', KEYS[2], 0, 0, 'WITHSCORES')[2]
if oldest then
  redis.call('PEXPIRE', KEYS[2], math.min(untilMs, tonumber(oldest) + tonumber(ARGV[2])) - tonumber(ARGV[1]))
end
return 1
