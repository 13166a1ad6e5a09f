import { readFileSync } from 'node:fs';
import { defineConfig } from 'vite';

import { inline } from '../vite.config.js';

// Puts the library and the page of the viewer into the page, in base64. GRAZE_WASM_FILE and
// GRAZE_VIEWER_FILE name the files.
const embed = {
  name: 'embed',
  enforce: 'post',
  generateBundle(_, bundle) {
    const page = bundle['index.html'];
    const viewer = readFileSync(process.env.GRAZE_VIEWER_FILE, 'utf8').replace('GRAZE_RECORDING', () => 'posted').replace('GRAZE_QUERY', () => '[]');
    page.source = page.source
      .replace('GRAZE_WASM', () => readFileSync(process.env.GRAZE_WASM_FILE).toString('base64'))
      .replace('GRAZE_VIEWER', () => Buffer.from(viewer).toString('base64'));
  },
};

export default defineConfig({
  base: './',
  root: new URL('.', import.meta.url).pathname,
  build: { target: 'es2022', outDir: 'dist', emptyOutDir: true, cssCodeSplit: false, modulePreload: false, assetsInlineLimit: 1e8, chunkSizeWarningLimit: 4000 },
  plugins: [inline, embed],
});
