--[[
Adds a refused request of a foreign sender to the samples of its integration, if they are kept. It has the same effect
if it runs twice.

KEYS[1]    the mark that samples are kept; expires when they are no longer kept
KEYS[2]    the sorted set of the samples, by time

ARGV[1]    when the request arrived, in milliseconds of Unix time
ARGV[2]    the sample
ARGV[3]    how many samples are kept

Returns    1 if samples are kept, else 0
]]
local remainingMs = redis.call('PTTL', KEYS[1])
if remainingMs <= 0 then return 0 end
redis.call('ZADD', KEYS[2], ARGV[1], ARGV[2])
redis.call('ZREMRANGEBYRANK', KEYS[2], 0, -tonumber(ARGV[3]) - 1)
redis.call('PEXPIRE', KEYS[2], remainingMs)
return 1
