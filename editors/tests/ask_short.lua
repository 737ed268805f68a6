-- Run by Neovim in the modular file of the page: corrects the base, presses gd on it, and writes where that leads.

local function main()
  local answers = { codes = {} }
  vim.wait(20000, function() return #vim.diagnostic.get(0) > 0 end, 20)
  for _, diagnostic in ipairs(vim.diagnostic.get(0)) do
    table.insert(answers.codes, diagnostic.code)
  end
  vim.cmd("silent %s/LlamaMlp/LlamaMLP/g")
  vim.wait(20000, function() return #vim.diagnostic.get(0) == 0 end, 20)
  vim.cmd("silent write")
  vim.api.nvim_win_set_cursor(0, { vim.fn.search("class MyModelMLP"), 0 })
  vim.fn.search("LlamaMLP")
  vim.api.nvim_feedkeys("gd", "xm", false)
  vim.wait(20000, function() return vim.api.nvim_buf_get_name(0):find("llama", 1, true) ~= nil end, 20)
  answers.file = vim.api.nvim_buf_get_name(0)
  answers.line = vim.api.nvim_get_current_line()
  local file = io.open("answers.json", "w")
  file:write(vim.json.encode(answers))
  file:close()
  vim.cmd("qall!")
end

vim.schedule(function()
  local done, problem = xpcall(main, debug.traceback)
  if not done then
    io.stderr:write(problem)
    vim.cmd("cquit")
  end
end)
