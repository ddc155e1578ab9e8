/** What kind of thing a target is: it decides who looks at it, and what is said of it. */
export type Kind =
  | 'planet'
  | 'titan'
  | 'moon'
  | 'rings'
  | 'calibration'
  | 'wind'
  | 'dust'
  | 'plasma'
  | 'sun'
  | 'star'
  | 'earth'
  | 'craft'

const KINDS: Readonly<Record<string, Kind>> = {
  Saturn: 'planet',
  Jupiter: 'planet',
  Titan: 'titan',
  InstrumentCalibration: 'calibration',
  SolarWind: 'wind',
  'DustRAM direction': 'dust',
  'SpacecraftRAM direction': 'dust',
  'co-rotation': 'plasma',
  Sun: 'sun',
  Star: 'star',
  Earth: 'earth',
  Other: 'craft',
  SpacecraftActivity: 'craft',
  NotApplicable: 'craft',
  Skeletonrequest: 'craft',
}

/** The kind of a target. */
export const targetKind = (target: string): Kind => KINDS[target] ?? (/^rings?/i.test(target) ? 'rings' : 'moon')

const LABELS: Readonly<Record<string, string>> = {
  'rings(general)': 'Main rings',
  InstrumentCalibration: 'Calibration:',
  SolarWind: 'Upstream',
  'DustRAM direction': 'Dust ram',
  'SpacecraftRAM direction': 'Spacecraft ram',
  'co-rotation': 'Co-rotation',
  Star: 'Stellar',
  Sun: 'Solar',
  Other: 'Sky',
  SpacecraftActivity: 'Spacecraft',
  NotApplicable: 'Unassigned',
  Skeletonrequest: 'Skeleton',
}

/** How titles name a target. */
export const labelOf = (target: string): string => LABELS[target] ?? target.replace(/^Ring([A-G])$/, 'Ring $1')

/** How much each team cares for a kind of target, where that is not 2. */
export const INTEREST: Readonly<Record<string, Partial<Record<Kind, number>>>> = {
  CIRS: { titan: 4, calibration: 3, wind: 1, dust: 1, plasma: 1, earth: 1 },
  UVIS: { sun: 30, star: 40, rings: 3, wind: 1, dust: 1, plasma: 1 },
  ISS: { moon: 6, rings: 4, sun: 1, wind: 1, dust: 1, plasma: 1 },
  VIMS: { moon: 4, rings: 3, star: 12, wind: 1, dust: 1, plasma: 1 },
  INMS: { titan: 5, dust: 8, star: 1, sun: 1 },
  CAPS: { wind: 12, plasma: 40, dust: 6, star: 1, sun: 1 },
  MIMI: { wind: 12, plasma: 30, star: 1, sun: 1 },
  RPWS: { wind: 16, planet: 4, star: 1, sun: 1 },
  CDA: { dust: 120, rings: 3, star: 1, sun: 1 },
  MAG: { wind: 16, planet: 4, star: 1, sun: 1 },
  RADAR: { titan: 16, calibration: 3, wind: 1, dust: 1, plasma: 1 },
  RSS: { earth: 90, rings: 4, titan: 3, wind: 1, dust: 1, plasma: 1 },
  MP: { craft: 60, earth: 8, calibration: 3, wind: 1, dust: 1, plasma: 1 },
}

/** What a team does again and again: the code of its requests, a title, its library definition, and what it is for. */
export type Subject = readonly [code: string, title: string, library: string, purpose: string]

/** The work of each team. */
export const SUBJECTS: Readonly<Record<string, readonly Subject[]>> = {
  CIRS: [
    ['FP1SCAN', 'far-infrared scan', 'FP1 scan', 'Slow sweep of the long-wave focal plane for temperatures'],
    ['THERMMAP', 'thermal map', 'Temperature mapping', 'Mosaic of surface brightness between 10 and 16 microns'],
    ['LIMBINT', 'limb integration', 'Limb sounding', 'Long dwell above the horizon to find trace gases'],
    ['ECLCOOL', 'eclipse cooling', 'Thermal inertia', 'Cooling curve while sunlight is cut off'],
    [
      'COMPSIT',
      'composition stare',
      'Composition integration',
      'Deep spectrum at the finest resolution of half a wavenumber',
    ],
    ['NADMAP', 'nadir mapping', 'Nadir map', 'Stripes from north to south for stratospheric winds'],
  ],
  UVIS: [
    ['EUVFUV', 'ultraviolet spectra', 'EUV and FUV imaging', 'Airglow in both channels with the low-resolution slit'],
    ['OCCN', 'occultation', 'Occultation', 'Absorption profile as the source goes behind'],
    ['SLITSCAN', 'slit scan', 'System scan', 'Slow drift of the slit through the whole system for oxygen and hydrogen'],
    ['AURORA', 'auroral imaging', 'Aurora', 'Emission of the polar oval through one rotation'],
    ['HDAC', 'hydrogen cell reading', 'HDAC', 'Deuterium to hydrogen ratio with the absorption cell'],
  ],
  ISS: [
    ['REGMAP', 'regional mapping', 'Regional geology', 'Narrow-angle mosaic at better than a kilometre per pixel'],
    [
      'PHASECV',
      'phase coverage',
      'Photometry and polarisation',
      'Clear, colour and polarised frames across phase angles',
    ],
    ['RETMOV', 'rotation movie', 'Time sequence', 'Frames at a steady beat for a movie of the motion'],
    ['OPNAV', 'satellite orbit frames', 'Astrometry', 'Small bodies against the background for better orbits'],
    ['NIGHTLT', 'night-side search', 'Lightning and glow', 'Long exposures of the dark hemisphere for flashes'],
    ['HIPHASE', 'forward-scattered light', 'High phase imaging', 'Fine particles and jets seen against the light'],
  ],
  VIMS: [
    ['CUBE', 'spectral cube', 'Image cube', 'Square cube from the visible to five microns for ices and organics'],
    ['MEDRES', 'medium-resolution mosaic', 'Mosaic', 'Patchwork of cubes, bright edge first'],
    ['HOTSPOT', 'hot spot watch', 'Cloud tracking', 'Deep clouds glowing at five microns followed for an hour'],
    ['SPECUL', 'specular reflection', 'Specular point', 'Glint of liquid surfaces near the mirror point'],
    ['STOCC', 'stellar transit', 'Occultation port', 'Brightness of a chosen giant at eighty samples a second'],
  ],
  INMS: [
    ['INGRESS', 'inbound neutral sampling', 'Atmosphere inbound', 'Closed source facing the flow while densities rise'],
    ['EGRESS', 'outbound neutral sampling', 'Atmosphere outbound', 'Open source facing the flow while densities fall'],
    ['IONSURV', 'ion survey', 'Magnetosphere ions', 'Thermal ions of the water group at low rate'],
    ['BACKGRD', 'background count', 'Instrument background', 'Residual gas in the chamber with the source covered'],
  ],
  CAPS: [
    ['MAPSURV', 'plasma survey', 'Magnetospheric survey', 'Electrons, ions and beams at survey rate'],
    ['ACTUATE', 'actuator sweep', 'Field of view sweep', 'Full swing of the actuator for pitch angles'],
    ['BOWSHK', 'bow shock crossing', 'Boundary crossing', 'Burst of data around the expected shock'],
    ['PICKUP', 'pickup ion search', 'Pickup ions', 'Fresh ions behind the wake of an atmosphere'],
  ],
  MIMI: [
    ['ENA', 'energetic neutral image', 'Neutral atom imaging', 'Ion injections pictured in neutral atoms from afar'],
    ['LEMMS', 'energetic particle scan', 'Belt survey', 'Trapped electrons and protons along the radius'],
    ['CHEMS', 'charge state survey', 'Charge and mass', 'Origin of suprathermal ions by charge and mass'],
    ['INJECT', 'injection campaign', 'Injection', 'Joint run with plasma and fields after a storm'],
  ],
  RPWS: [
    ['SKR', 'kilometric radiation', 'Radio emission', 'Rotation period from the radio pulses'],
    ['LANGM', 'Langmuir sweep', 'Cold plasma', 'Electron density from probe sweeps'],
    ['WBAND', 'wideband burst', 'Wideband', 'Waveforms at the highest rate for lightning whistlers'],
    ['DUSTHIT', 'dust impact count', 'Impact voltage', 'Spikes on the antennas where grains strike'],
  ],
  CDA: [
    ['DUSTENV', 'dust envelope', 'Dust exploration', 'Grain sizes and speeds along the path'],
    ['STREAM', 'stream particle watch', 'Stream particles', 'Tiny fast grains thrown out of the system'],
    ['PLUMESP', 'plume grain spectra', 'Grain composition', 'Salt and organics in ice grains by impact ionisation'],
    ['EXODUST', 'interstellar grain search', 'Interstellar dust', 'Grains that cross from beyond the planets'],
  ],
  MAG: [
    ['FGMSURV', 'field survey', 'Magnetospheric survey', 'Three axes of the field, continuously'],
    ['SCAS', 'sensor alignment', 'Field calibration', 'Known coil field to check gains and axes'],
    ['ROLL', 'calibration roll', 'Roll', 'Slow turns about two axes to find offsets'],
    ['PERTURB', 'field perturbation', 'Draped field', 'Bending of the field lines around a conducting body'],
  ],
  RADAR: [
    ['SARSWATH', 'SAR swath', 'Synthetic aperture imaging', 'Image strip at three hundred metres'],
    ['ALTIM', 'altimetry', 'Altimeter', 'Heights along the ground track'],
    ['RADIOM', 'passive radiometry', 'Radiometer', 'Microwave emission at two centimetres'],
    ['SCATT', 'scatterometry', 'Scatterometer', 'Backscatter of the whole disc at low resolution'],
  ],
  RSS: [
    ['GRAV', 'gravity pass', 'Gravity field', 'Doppler shift of the carrier for the mass within'],
    ['RINGOCC', 'radio occultation', 'Radio occultation', 'Three bands through the medium towards the antenna at home'],
    ['BISTAT', 'bistatic echo', 'Bistatic scattering', 'Carrier bounced off the surface at grazing angle'],
    ['USOCHK', 'oscillator check', 'Equipment check', 'Drift of the ultrastable oscillator'],
  ],
  MP: [
    ['DOWNLNK', 'playback to ground', 'Downlink', 'Recorder emptied while the dish faces home'],
    ['OTM', 'trim manoeuvre window', 'Orbit trim', 'Time kept free for an engine or thruster burn'],
    ['DEADTM', 'margin', 'Dead time', 'Spare minutes so that a late maneuver hurts nobody'],
    ['WAYPNT', 'turn to waypoint', 'Attitude', 'Turn and hand-over between pointing owners'],
  ],
  PROBE: [
    ['RELAY', 'Huygens relay', 'Probe relay', 'Dish held on the landing site while the probe descends'],
    ['CHECKO', 'Huygens checkout', 'Probe checkout', 'Power, clocks and receivers before separation'],
  ],
}

/** What is said of the circumstances, by kind of target. */
export const SCENES: Readonly<Record<Kind, readonly string[]>> = {
  planet: [
    'Storm latitudes near the terminator',
    'Polar hexagon in view',
    'Ring shadow on the northern clouds',
    'Equatorial jets, both hemispheres',
  ],
  titan: [
    'Haze layers above the lakes',
    'Dunes of the equator',
    'Winter polar vortex',
    'Upper atmosphere between 950 and 1400 km',
  ],
  moon: [
    'Leading side, old craters',
    'Trailing side, bright cliffs',
    'South polar terrain',
    'Distant pass, whole disc inside one field',
  ],
  rings: ['Lit face, ansa to ansa', 'Unlit face with spokes', 'Gaps and propellers', 'Clumps and braided strands'],
  calibration: [
    'Flat field and dark frames',
    'Internal lamp, two gain states',
    'Decontamination heater cycle',
    'Reference field of known brightness',
  ],
  wind: ['Sunward of the shock', 'Quiet flow before a compression', 'Long monitoring away from apoapsis'],
  dust: ['Boresight into the Kepler ram', 'Crossing of the ring plane', 'Retrograde grains'],
  plasma: ['Facing the rotating flow', 'Dusk flank of the magnetosphere', 'Inner torus of water ions'],
  sun: ['Disc at the port', 'Ingress behind the limb', 'Egress with rising signal'],
  star: ['Alpha Crucis', 'Gamma Crucis', 'Beta Centauri', 'Omicron Ceti', 'Antares'],
  earth: ['Pass over Goldstone', 'Pass over Canberra', 'Pass over Madrid'],
  craft: [
    'Attitude chosen by the prime',
    'Shared pointing, rider takes what comes',
    'Wheels unloaded afterwards',
    'Time reserved and later released',
  ],
}

/** The figure that is given, by kind of target: its name, its unit, and how large it may be. */
export const MEASURES: Readonly<Record<Kind, readonly [name: string, unit: string, most: number]>> = {
  planet: ['phase', 'deg', 179],
  titan: ['altitude', 'km', 9000],
  moon: ['range', 'thousand km', 2400],
  rings: ['elevation', 'deg', 60],
  calibration: ['run', 'of the cruise list', 120],
  wind: ['distance', 'planetary radii', 180],
  dust: ['pitch', 'deg', 90],
  plasma: ['shell', 'radii', 30],
  sun: ['port offset', 'arcmin', 30],
  star: ['impact parameter', 'km', 60_000],
  earth: ['station arc', 'minutes', 540],
  craft: ['slot', 'of the sequence', 400],
}
