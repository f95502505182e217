export { createSettingsStore } from './settings-store.js';
