import { defineConfig } from 'vite';

// Puts scripts and styles into the HTML file, so that the page opens from disk without a server.
export const inline = {
  name: 'inline',
  enforce: 'post',
  generateBundle(_, bundle) {
    const page = bundle['index.html'];
    for (const [file, part] of Object.entries(bundle)) {
      if (part === page) continue;
      const text = part.type === 'chunk' ? part.code : String(part.source);
      const tag = part.type === 'chunk' ? 'script' : 'style';
      const closed = text.replaceAll(`</${tag}`, `<\\/${tag}`);
      const reference = new RegExp(`<(script|link)[^>]*${file.replace(/[.]/g, '\\.')}[^>]*>(</script>)?`);
      page.source = page.source.replace(reference, '');
      const element = tag === 'script' ? `<script type="module">${closed}</script>` : `<style>${closed}</style>`;
      const place = tag === 'script' ? '</body>' : '</head>';
      page.source = page.source.replace(place, () => element + '\n' + place);
      delete bundle[file];
    }
  },
};

export default defineConfig({
  base: './',
  build: { target: 'es2020', cssCodeSplit: false, modulePreload: false, assetsInlineLimit: 1e8, chunkSizeWarningLimit: 2000 },
  plugins: [inline],
});
