-- Returns the time of this server's clock, in whole milliseconds of Unix time.
local function serverTimeMs()
  local time = redis.call('TIME')
  return tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000)
end

-- Formats a whole number. Lua's `tostring` writes large numbers with an exponent.
local function integerText(number)
  return string.format('%.0f', number)
end
