import { defineConfig } from 'vite';

/** `npm run dev` shows the console of a service that runs here. */
const service = 'http://127.0.0.1:8080';

export default defineConfig(({ command }) => ({
  // Built links are relative, so that the console works under any path prefix of a proxy.
  base: command === 'serve' ? '/console/' : './',
  oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
  build: {
    target: 'es2023',
    // The content security policy forbids data URLs.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
  },
  server: { host: '127.0.0.1', proxy: { '/api': service } },
}));
