import { CONTENTS } from './outcomes.js';
import { playFaults } from './play-faults.js';

playFaults(CONTENTS);
