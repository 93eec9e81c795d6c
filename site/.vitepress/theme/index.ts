import type { EnhanceAppContext } from 'vitepress';
import DefaultTheme from 'vitepress/theme-without-fonts';
import { Diagram } from './diagram.ts';
import './style.css';

export default {
  extends: DefaultTheme,
  enhanceApp({ app }: EnhanceAppContext): void {
    app.component('Diagram', Diagram);
  },
};
