import { useRoute } from 'vitepress';
import { nextTick, onMounted, watch } from 'vue';

/** Scrolls the sidebar to the page that is shown: the one of the reference is longer than a screen. */
export function showActivePage(): void {
  const route = useRoute();
  onMounted(() =>
    watch(
      () => route.path,
      async () => {
        await nextTick();
        document.querySelector('.VPSidebarItem.is-active .item')?.scrollIntoView({ block: 'nearest' });
      },
      { immediate: true },
    ),
  );
}
