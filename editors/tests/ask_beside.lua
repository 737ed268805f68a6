-- Run by Neovim in the modular file of the page, beside pyright and ruff: writes what it saw into beside.json.

local function wait(condition)
  return vim.wait(60000, condition, 50)
end

local function lines()
  return vim.api.nvim_buf_get_lines(0, 0, -1, false)
end

local function client(name)
  return vim.lsp.get_clients({ bufnr = 0, name = name })[1]
end

local function ask(name, method, params)
  params = params or {}
  params.textDocument = { uri = vim.uri_from_bufnr(0) }
  local answer = client(name):request_sync(method, params, 30000, 0)
  return answer and answer.result
end

-- Rename the name at a place by the key of the page; returns who was asked how often for the edits.
local function rename(place, new_name)
  local asked = {}
  for _, each in ipairs(vim.lsp.get_clients({ bufnr = 0 })) do
    local request = getmetatable(each).__index.request
    each.request = function(self, method, ...)
      if method == "textDocument/rename" then
        table.insert(asked, self.name)
      end
      return request(self, method, ...)
    end
  end
  vim.ui.input = function(_, confirm) confirm(new_name) end
  vim.api.nvim_win_set_cursor(0, { 1, 0 })
  vim.fn.search(place, "ce")
  local before = vim.api.nvim_buf_get_changedtick(0)
  vim.cmd.normal("grn")
  wait(function() return vim.api.nvim_buf_get_changedtick(0) > before end)
  vim.wait(1000) -- whoever else was asked would answer now
  return { asked = asked, lines = lines() }
end

local function hover(place)
  vim.fn.search(place, "ce")
  vim.lsp.buf.hover()
  local window
  wait(function()
    for _, each in ipairs(vim.api.nvim_list_wins()) do
      if vim.api.nvim_win_get_config(each).relative ~= "" then
        window = each
      end
    end
    return window ~= nil
  end)
  local text = vim.api.nvim_buf_get_lines(vim.api.nvim_win_get_buf(window), 0, -1, false)
  vim.api.nvim_win_close(window, true)
  return text
end

local function diagnostics()
  local found = {}
  for _, diagnostic in ipairs(vim.diagnostic.get(0)) do
    if diagnostic.source == "modular" then
      table.insert(found, { code = diagnostic.code, line = diagnostic.lnum + 1 })
    end
  end
  return found
end

-- What pyright answers to requests that modular leaves to it, at the call of the parent's method.
local function ask_pyright()
  local at = vim.fn.searchpos("super().__init__(", "ce")
  local inside = { line = at[1] - 1, character = at[2] }
  local on_name = { line = at[1] - 1, character = at[2] - 3 }
  local highlights = ask("pyright", "textDocument/documentHighlight", { position = on_name })
  local items = ask("pyright", "textDocument/prepareCallHierarchy", { position = on_name })
  return {
    signature = ask("pyright", "textDocument/signatureHelp", { position = inside }).signatures[1].label,
    highlights = #highlights,
    call = items[1].name .. " in " .. vim.fs.basename(items[1].uri),
  }
end

local function main()
  local seen = {}
  wait(function() return client("modular") and client("pyright") and client("ruff") and #diagnostics() > 0 end)

  -- The mistake of the page is corrected. Other code comes in, with spaces and lines that ruff removes.
  vim.api.nvim_buf_set_lines(0, 2, 6, false, {
    "from ..llama.modeling_llama import LlamaMLP", "", "", "", "", "class MyModelMLP( LlamaMLP ):",
  })
  vim.api.nvim_buf_set_lines(0, -1, -1, false, {
    "", "    def forward(self, x):", "        scaled = x * 2", "        return super().forward( scaled )",
  })
  wait(function() return #diagnostics() > 0 and diagnostics()[1].code == "MOD422" end)
  wait(function() return ask("pyright", "textDocument/hover", { position = { line = 7, character = 8 } }) end)
  seen.hover = hover("class MyModelMLP")
  seen.pyright = ask_pyright()
  seen.class = rename("class MyModelMLP", "MyModelFeedForward")
  seen.variable = rename("scaled", "doubled")

  seen.unformatted = diagnostics()
  vim.cmd("silent write")
  wait(function() return vim.deep_equal(diagnostics(), seen.unformatted) == false end)
  seen.saved = vim.fn.readfile(vim.api.nvim_buf_get_name(0))
  seen.formatted = diagnostics()

  local file = io.open("beside.json", "w")
  file:write(vim.json.encode(seen))
  file:close()
  vim.cmd("qall!")
end

-- Once Neovim has started; what goes wrong ends it.
vim.schedule(function()
  local done, problem = xpcall(main, debug.traceback)
  if not done then
    io.stderr:write(problem)
    vim.cmd("cquit")
  end
end)
