--[[
Lets guards expire, unless something higher was appended under them since.

KEYS[1]    the log's meta (hash: past, mark, markMs, newest, newestMs)
KEYS[1+n]  a guard: a widget's watermark, or the mark of an event without a widget

ARGV[1]    after how many seconds
ARGV[2]    the number of a run that no run is above which may still bring what the guards keep out
ARGV[3]    how old a run may be, in milliseconds
ARGV[3+n]  the version the watermark must stand at, or '' for the mark of an event

Returns    how many will expire
]]
local meta = KEYS[1]
local run, runAgeMaxMs = tonumber(ARGV[2]), tonumber(ARGV[3])

-- By the time the guards are gone the log must know that such a run is too old: see append.lua.
local time = redis.call('TIME')
local now = tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000)
local marks = redis.call('HMGET', meta, 'past', 'mark', 'markMs', 'newest', 'newestMs')
local past, mark, markMs = tonumber(marks[1]) or 0, tonumber(marks[2]), tonumber(marks[3])
local newest, newestMs = tonumber(marks[4]) or 0, tonumber(marks[5])
if run > newest then
  for _ = 1, 2 do
    if mark and now - markMs >= runAgeMaxMs then
      past, mark, markMs = mark, newest, newestMs
    end
  end
  redis.call('HSET', meta, 'past', string.format('%.0f', past), 'mark', string.format('%.0f', mark or run),
    'markMs', string.format('%.0f', markMs or now), 'newest', string.format('%.0f', run),
    'newestMs', string.format('%.0f', now))
end

local settled = 0
for n = 2, #KEYS do
  local key, version = KEYS[n], ARGV[n + 2]
  if version == '' or redis.call('GET', key) == version then
    settled = settled + redis.call('EXPIRE', key, ARGV[1])
  end
end
return settled
