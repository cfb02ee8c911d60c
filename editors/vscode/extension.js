// Starts `ludwright lsp` and hands it the .game files.

const { commands, window, workspace } = require("vscode");
const { LanguageClient } = require("vscode-languageclient/node");

let client;

async function start() {
  const command = workspace.getConfiguration("ludwright").get("path") || "ludwright";
  client = new LanguageClient(
    "ludwright",
    "Ludwright",
    { command, args: ["lsp"] },
    {
      documentSelector: [{ language: "ludwright" }],
      // What changes outside the editor may be what an open file extends.
      synchronize: { fileEvents: workspace.createFileSystemWatcher("**/*.game") },
    },
  );
  try {
    await client.start();
  } catch (error) {
    client = undefined;
    // A program that is not there is told of as a text, all else as an error.
    const why = String(error?.message ?? error).replace(/\.$/, "");
    window.showErrorMessage(`\`${command} lsp\` cannot be started: ${why}. Set "ludwright.path" to the program.`);
  }
}

async function stop() {
  const running = client;
  client = undefined;
  await running?.stop();
}

exports.activate = async (context) => {
  context.subscriptions.push(
    commands.registerCommand("ludwright.restart", async () => {
      await stop();
      await start();
    }),
  );
  await start();
};

exports.deactivate = stop;
