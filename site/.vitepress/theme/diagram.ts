import mermaidUrl from '@mermaid-js/tiny/dist/mermaid.tiny.js?url'; // as it is: to bundle it takes longer than all the rest
import { useData } from 'vitepress';
import { defineComponent, h, onMounted, ref, useId, watch } from 'vue';

interface Mermaid {
  initialize(options: object): void;
  render(id: string, text: string): Promise<{ svg: string }>;
}

let loading: Promise<Mermaid> | undefined;

/** Loads Mermaid once, when a page has a diagram. It is a script that sets `mermaid`, and no module. */
function loadMermaid(): Promise<Mermaid> {
  loading ??= new Promise((resolve, reject) => {
    const script = document.createElement('script');
    script.src = mermaidUrl;
    script.onload = () => resolve((globalThis as unknown as { readonly mermaid: Mermaid }).mermaid);
    script.onerror = reject;
    document.head.append(script);
  });
  return loading;
}

/** A Mermaid diagram. Until Mermaid is loaded, and without scripts, it is its text. */
export const Diagram = defineComponent({
  props: { text: { type: String, required: true } },
  setup(props) {
    const { isDark } = useData();
    const id = `diagram-${useId().replaceAll(/\W/g, '')}`;
    const text = decodeURIComponent(props.text);
    const svg = ref<string>();

    async function draw(): Promise<void> {
      const mermaid = await loadMermaid();
      mermaid.initialize({ startOnLoad: false, theme: isDark.value ? 'dark' : 'neutral' });
      svg.value = (await mermaid.render(id, text)).svg;
    }
    onMounted(draw);
    watch(isDark, draw);

    return () => (svg.value === undefined ? h('pre', { class: 'diagram' }, text) : h('div', { class: 'diagram', innerHTML: svg.value }));
  },
});
