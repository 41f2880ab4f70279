import { defineConfig } from 'vite';

/** One file with everything, so that `npx widgetctl` installs one package. */
export default defineConfig({
  build: {
    ssr: 'src/main.ts',
    target: 'node20',
    outDir: 'dist',
    rolldownOptions: { output: { entryFileNames: 'lib/widgetctl.js' } },
  },
  ssr: { noExternal: true },
});
