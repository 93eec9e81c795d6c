import type { EnhanceAppContext } from 'vitepress';
import DefaultTheme from 'vitepress/theme-without-fonts';
import { showActivePage } from './active-page.ts';
import { Diagram } from './diagram.ts';
import './style.css';
import './home.css';

export default {
  extends: DefaultTheme,
  setup: showActivePage,
  enhanceApp({ app }: EnhanceAppContext): void {
    app.component('Diagram', Diagram);
  },
};
