// Loaded before everything else (`--import`), in JavaScript: an older Node cannot read a file of TypeScript, and says so
// with a stack that tells nobody what is missing.
if (Number.parseInt(process.versions.node, 10) < 24) {
  const ways = 'without --omit=dev, --ignore-scripts and NODE_ENV=production, or use Node 24 or later';
  process.stderr.write(
    `This is Node ${process.versions.node}, and Node 24 is not installed here: run npm ci ${ways}.\n`,
  );
  process.exit(78);
}
