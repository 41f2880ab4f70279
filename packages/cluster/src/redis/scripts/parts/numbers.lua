-- Milliseconds of Unix time by this server's clock.
local function serverTimeMs()
  local time = redis.call('TIME')
  return tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000)
end

-- A tostring of Lua would write large numbers with an exponent.
local function integerText(number)
  return string.format('%.0f', number)
end
