--[[
Lets guards expire, unless something higher was appended under them since.

KEYS[n]    a guard: a widget's watermark, or the mark of an event without a widget

ARGV[1]    after how many seconds
ARGV[1+n]  the version the watermark must stand at, or '' for the mark of an event

Returns    how many will expire
]]
local settled = 0
for n, key in ipairs(KEYS) do
  local version = ARGV[n + 1]
  if version == '' or redis.call('GET', key) == version then
    settled = settled + redis.call('EXPIRE', key, ARGV[1])
  end
end
return settled
