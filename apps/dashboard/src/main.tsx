import { render } from 'preact';
import { App } from './app.js';
import { restoreDensity } from './parts/density.js';

restoreDensity();
const root = document.getElementById('root');
if (root) render(<App />, root);
