-- Asks Sallyport whether a request may pass: docs/gate.md. The configuration is in gate.cfg.

-- What the application learns of the sender; and what the client has sent, without the cookies of the gate and without an API key.
local identity = { "remote-user", "remote-groups", "remote-email", "remote-name", "sallyport-identity", "cookie",
  "authorization" }
-- The headers of Sallyport's answer that are passed on to the client.
local passed_on = { "content-type", "location", "set-cookie", "cache-control", "content-security-policy",
  "www-authenticate", "retry-after", "sallyport-login", "x-content-type-options", "x-frame-options", "referrer-policy" }
-- The page where Sallyport does not answer.
local unavailable = [[<!doctype html><html lang="en"><meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1"><title>Not available</title><h1>Not available</h1>
<p>Access cannot be checked at the moment. Try again in a few seconds.</p></html>
]]
-- HAProxy tries four times: five seconds in all.
local timeout_ms = 1250

local function answer(txn, status, headers, body)
  txn:done(txn:reply({ status = status, headers = headers, body = body }))
end

-- Removes the client's own identity headers, under any spelling that an application could take for one of them.
local function drop_identity(http)
  for name in pairs(http:req_get_headers()) do
    local plain = name:lower():gsub("[^%w]", "-")
    if plain:find("^remote%-") or plain == "sallyport-identity" then http:req_del_header(name) end
  end
end

core.register_action("gate", { "http-req" }, function(txn, gate, edge)
  local function header(name) return txn.sf:req_fhdr(name) end
  drop_identity(txn.http)
  local result = core.httpclient():get({
    url = gate .. "/gate/forward-auth/" .. edge,
    timeout = timeout_ms,
    headers = {
      ["x-forwarded-method"] = { txn.sf:method() },
      ["x-forwarded-proto"] = { txn.f:ssl_fc() == 1 and "https" or "http" },
      ["x-forwarded-host"] = { header("host") },
      ["x-forwarded-uri"] = { txn.sf:pathq() },
      ["x-forwarded-for"] = { txn.sf:src() },
      ["accept"] = { header("accept") },
      ["cookie"] = { header("cookie") },
      ["authorization"] = { header("authorization") },
      -- Whether a person is looking, and from where.
      ["sec-fetch-site"] = { header("sec-fetch-site") },
      ["sec-fetch-mode"] = { header("sec-fetch-mode") },
      ["sec-fetch-dest"] = { header("sec-fetch-dest") },
      ["sec-purpose"] = { header("sec-purpose") },
      ["purpose"] = { header("purpose") },
      ["x-requested-with"] = { header("x-requested-with") },
      ["referer"] = { header("referer") },
    },
  })
  local status = result and result.status or 0
  if status == 200 then
    for _, name in ipairs(identity) do
      local value = (result.headers[name] or {})[0]
      txn.http:req_del_header(name)
      if value and value ~= "" then txn.http:req_set_header(name, value) end
    end
  elseif status == 302 or status == 401 or status == 403 or status == 429 then
    local headers = {}
    for _, name in ipairs(passed_on) do headers[name] = result.headers[name] and { result.headers[name][0] } end
    answer(txn, status, headers, result.body)
  else
    answer(txn, 503, {
      ["content-type"] = { "text/html; charset=utf-8" },
      ["cache-control"] = { "no-store" },
      ["content-security-policy"] = { "default-src 'none'" },
      ["retry-after"] = { "5" },
    }, unavailable)
  end
end, 2)
