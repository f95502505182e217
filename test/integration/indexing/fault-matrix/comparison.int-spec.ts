import { COMPARISON } from './outcomes.js';
import { playFaults } from './play-faults.js';

playFaults(COMPARISON);
