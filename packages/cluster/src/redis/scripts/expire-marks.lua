--[[
Sets an expiry on dedupe marks, except on watermarks that another append has raised since.

KEYS[1]    the log's meta (hash: minRun, checkpointRun, checkpointMs, highestRun, highestRunMs)
KEYS[1+n]  a dedupe mark: the watermark of a widget, or the mark of an event without a widget

ARGV[1]    the lifetime, in seconds
ARGV[2]    a run number: no higher run appends these events again
ARGV[3]    how old a run may be, in milliseconds
ARGV[3+n]  the version that the watermark must have, or '' for the mark of an event

Returns    how many marks got an expiry
]]
-- By the time the marks are gone, the log must reject the runs below ARGV[2] as too old (log-functions.lua). If this
-- run is too old itself, the log rejects them already: the result does not matter.
recordRun(KEYS[1], tonumber(ARGV[2]), serverTimeMs(), tonumber(ARGV[3]))

local expiringCount = 0
for n = 2, #KEYS do
  local key, version = KEYS[n], ARGV[n + 2]
  if version == '' or redis.call('GET', key) == version then
    expiringCount = expiringCount + redis.call('EXPIRE', key, ARGV[1])
  end
end
return expiringCount
