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
-- By the time the guards are gone the log must know that such a run is too old: see append.lua.
noteRun(KEYS[1], tonumber(ARGV[2]), serverTimeMs(), tonumber(ARGV[3]))

local settled = 0
for n = 2, #KEYS do
  local key, version = KEYS[n], ARGV[n + 2]
  if version == '' or redis.call('GET', key) == version then
    settled = settled + redis.call('EXPIRE', key, ARGV[1])
  end
end
return settled
