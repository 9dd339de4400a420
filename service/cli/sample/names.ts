import type { Random } from './random.ts';

export interface FullName {
  first: string;
  last: string;
  /** The name in plain Latin letters, for the e-mail address. */
  latin: string;
}

interface People {
  /** Share among the staff of an international firm. */
  weight: number;
  timeZoneOffset: number;
  first: string;
  last: string;
}

const SPECIAL: Record<string, string> = {
  ß: 'ss',
  ø: 'o',
  æ: 'ae',
  œ: 'oe',
  đ: 'd',
  ð: 'd',
  ł: 'l',
  þ: 'th',
  ı: 'i',
};

// Family names that are the same for women and men, so that any two parts fit together.
// Written `name` or, where the script is not Latin, `name=latin form`. Spaces in a name are written as `_`.
const PEOPLES: People[] = [
  {
    weight: 30,
    timeZoneOffset: -5,
    first:
      'Amelia Brandon Caleb Danielle Edward Fiona Grace Harriet Isaac Joanna Kevin Laura Mason Natalie Oliver Paige Quentin Rachel Samuel Tessa Victor Wendy Abigail Bennett Clara Dominic Eleanor Felix Gideon Hazel Ivy Julian Keira Leonard Marianne Nolan',
    last: 'Abbott Barlow Callahan Dalton Easton Fairbanks Granger Holloway Ingram Jessup Kendrick Lockwood Mercer Norwood Oakes Prescott Quill Ramsey Sheffield Thornton Underhill Vance Whitaker Yates Ashworth Blackwell Carmichael Drummond Ellery Fletcher Gallagher Hathaway Lindqvist-Moore Montgomery-Ashcroft O’Donnell O’Hara McAllister Fitzwilliam Winterbourne',
  },
  {
    weight: 12,
    timeZoneOffset: 1,
    first:
      'Anneliese Bärbel Cem Dörte Elke Florian Gisela Hannes Ilse Jürgen Käthe Lukas Margarete Niklas Ottilie Philipp Rüdiger Sabine Tilman Ursula Veit Wiebke',
    last: 'Achterberg Baumgärtner Dießner Eichhorn Freiherr_von_Rabenau Großmann Hünefeld Jäger Köstlin Löwenthal Müllerschön Niedermayer Öhlschläger Pfannenschmidt Rößler Süßkind Trautwein Überall von_der_Wiesche Weißgerber Zöllner',
  },
  {
    weight: 10,
    timeZoneOffset: 1,
    first:
      'Aurélie Benoît Camille Désirée Étienne François Gaëlle Hélène Inès Jérôme Loïc Maëlle Noémie Océane Pénélope Raphaël Sébastien Théo Zoé Jean-Baptiste Marie-Thérèse',
    last: 'Aubépine Beaulieu Château d’Aubigné Delacroix Évrard Fougère Gérardin Hébert Jolicœur Lefèvre Marchandeau Noël-Duvivier Pâquet Quéméneur Rivière Saint-Amand-Lévis Thévenin Vaugirard de_La_Rochefontaine',
  },
  {
    weight: 10,
    timeZoneOffset: 1,
    first:
      'Álvaro Begoña Cristóbal Dolores Encarnación Fermín Guillermina Hernán Íñigo Joaquín Lucía María_del_Carmen Néstor Óscar Pilar Ramón Soledad Tomás Úrsula Ximena',
    last: 'Arístegui Benavídez Cárdenas Dueñas Echeverría Fuenmayor García_Olmedo Hinojosa Ibáñez Jiménez_de_la_Peña Larrañaga Muñoz Núñez Ordóñez Peñalver Quiñones Rodríguez Sepúlveda Urrutia Villaseñor Zúñiga',
  },
  {
    weight: 5,
    timeZoneOffset: 1,
    first:
      'Åse Bjørn Dagny Eirik Frøydis Gøran Håkon Ingrid Jørn Kåre Liv Märta Nils Øystein Þóra Sölve Torbjörn Ylva',
    last: 'Ångström Bjørnstad Dahlström Ekelöf Fjørtoft Grønvold Håkansson Blöndal Kjærgaard Lindström Mørk Nygård Øvergård Sæther Thorarensen Vestergård',
  },
  {
    weight: 3,
    timeZoneOffset: 1,
    first: 'Čedomir Đurđica Ivka Šime Snježana Vjekoslav Željko Žarko',
    last: 'Brkić Čović Đorđić Hadžić Jurišić Kovačić Šarić Žunić',
  },
  {
    weight: 6,
    timeZoneOffset: 1,
    first:
      'Agnieszka Bożena Elżbieta Grażyna Łucja Małgorzata Michał Paweł Róża Stanisław Sławomir Wojciech Żaneta',
    last: 'Błaszczyk Ćwiąkała Gąsior Kaźmierczak Łuczak Ożóg Pająk Śliwa Świątek Wójcik Zając Żak',
  },
  {
    weight: 4,
    timeZoneOffset: 3,
    first:
      'Алексей=alexei Виктория=viktoria Дмитрий=dmitri Екатерина=ekaterina Игорь=igor Людмила=ludmila Надежда=nadezhda Олексій=oleksii Ярослава=yaroslava Фёдор=fyodor',
    last: 'Бондаренко=bondarenko Долгих=dolgikh Жук=zhuk Коваленко=kovalenko Мельник=melnyk Пономаренко=ponomarenko Романюк=romaniuk Черных=chernykh Шевчук=shevchuk Щерба=shcherba',
  },
  {
    weight: 3,
    timeZoneOffset: 2,
    first:
      'Αλέξανδρος=alexandros Δήμητρα=dimitra Ελένη=eleni Θεόδωρος=theodoros Κωνσταντίνος=konstantinos Σοφία=sofia',
    last: 'Αντωνίου=antoniou Βασιλείου=vassiliou Ιωάννου=ioannou Οικονόμου=oikonomou Παπαδημητρίου=papadimitriou Χατζηγεωργίου=hatzigeorgiou',
  },
  {
    weight: 6,
    timeZoneOffset: 9,
    first: '健太=kenta 美咲=misaki 翔=sho 陽子=yoko 直樹=naoki さくら=sakura 大輔=daisuke 由美子=yumiko',
    last: '佐々木=sasaki 渡辺=watanabe 長谷川=hasegawa 山口=yamaguchi 小笠原=ogasawara 五十嵐=igarashi 中村=nakamura 藤原=fujiwara',
  },
  {
    weight: 7,
    timeZoneOffset: 8,
    first: '伟=wei 秀英=xiuying 建国=jianguo 晓明=xiaoming 丽华=lihua 志强=zhiqiang 雪梅=xuemei 思远=siyuan',
    last: '欧阳=ouyang 陈=chen 黄=huang 司马=sima 赵=zhao 周=zhou 吴=wu 郑=zheng 林=lin',
  },
  {
    weight: 4,
    timeZoneOffset: 9,
    first: '민준=minjun 서연=seoyeon 지훈=jihun 하은=haeun 현우=hyunwoo 수빈=subin',
    last: '남궁=namgung 김=kim 박=park 황보=hwangbo 최=choi 윤=yoon',
  },
  {
    weight: 4,
    timeZoneOffset: 3,
    first: 'أحمد=ahmad ليلى=layla يوسف=yusuf عبد_الرحمن=abdulrahman فاطمة=fatima مريم=maryam',
    last: 'الحسيني=alhusseini المنصوري=almansouri بن_سعيد=binsaid القرشي=alqurashi',
  },
  {
    weight: 9,
    timeZoneOffset: 5.5,
    first:
      'Aditi Bhavesh Chandrika Devendra Eshwari Gaurav Harini Ishaan Jayalakshmi Kavitha Lakshmanan Meenakshi Nikhil Padmavathi Raghunath Saraswati Uday Venkatanarasimharajuvaripeta',
    last: 'Acharya Bhattacharjee Chattopadhyay Deshmukh Gopalakrishnan Iyengar Jayaraman Krishnamurthy Mukhopadhyay Narayanaswamy Patil Ramanathan Subramaniam Thiruvengadam Venkataraman',
  },
  {
    weight: 2,
    timeZoneOffset: 5.5,
    first: 'अर्जुन=arjun प्रिया=priya विक्रम=vikram सुनीता=sunita',
    last: 'शर्मा=sharma वर्मा=varma चतुर्वेदी=chaturvedi त्रिपाठी=tripathi',
  },
  {
    weight: 2,
    timeZoneOffset: 2,
    first: 'דניאל=daniel שרה=sarah נועם=noam תמר=tamar',
    last: 'אברהמי=avrahami לוי=levi בן_דוד=bendavid שפירא=shapira',
  },
  {
    weight: 4,
    timeZoneOffset: 3,
    first: 'Ayşe Burçin Çağla Doğukan Emine Gökhan Işıl İbrahim Kübra Nilüfer Özgür Şule Ümit Yiğit',
    last: 'Akçay Büyükkılıç Çelikoğlu Dağıstanlı Erdoğmuş Güneş Işık İnönüoğlu Karaağaçlı Öztürk Şahinbaş Ünal Yıldırım',
  },
  {
    weight: 5,
    timeZoneOffset: 1,
    first:
      'Adaeze Babatunde Chukwuemeka Ẹniọlá Folasade Ikechukwu Kwabena Lindiwe Ngozi Ọlábísí Sipho Thandiwe Wanjiru Zanele',
    last: 'Adébáyọ̀ Boateng Chukwu Dlamini Ezenwa Kamau Mbeki-Nkosi Nwachukwu Ọdúyẹmí Okonkwo Owusu-Ansah Sibanda Tshabalala Wambui',
  },
  {
    weight: 4,
    timeZoneOffset: 7,
    first: 'Ánh_Dương Bảo_Ngọc Đức Hạnh Khánh_Linh Phượng Quỳnh Thảo Tuấn_Anh Yến_Nhi',
    last: 'Bùi Đặng Đỗ Hoàng Huỳnh Lê Nguyễn Phạm Trần Võ',
  },
  {
    weight: 4,
    timeZoneOffset: -3,
    first:
      'Antônio Beatriz Conceição Davi Fabrício Gonçalo Iracema João Luísa Mauricio Otávio Ruth Simão Vitória',
    last: 'Araújo Bragança Carvalhães da_Conceição dos_Anjos Figueirêdo Guimarães Magalhães Nóbrega Queirós Simões Vasconcelos',
  },
];

interface Names {
  timeZoneOffset: number;
  first: Name[];
  last: Name[];
}
interface Name {
  native: string;
  latin: string;
}

const CHOICE = PEOPLES.map(
  ({ weight, timeZoneOffset, first, last }) =>
    [{ timeZoneOffset, first: parse(first), last: parse(last) } satisfies Names, weight] as const,
);

/** A person's name, and how many hours their home is ahead of UTC. */
export function drawName(random: Random): FullName & { timeZoneOffset: number } {
  const { timeZoneOffset, first, last } = random.weighted(CHOICE);
  const given = random.pick(first);
  const family = random.pick(last);
  return {
    first: given.native,
    last: family.native,
    latin: `${given.latin}.${family.latin}`,
    timeZoneOffset,
  };
}

function parse(list: string): Name[] {
  return list.split(' ').map((entry) => {
    const [native = '', latin] = entry.replaceAll('_', ' ').split('=');
    return { native, latin: latin?.replaceAll(' ', '') ?? toLatin(native) };
  });
}

function toLatin(name: string): string {
  return name
    .toLowerCase()
    .replace(/[ßøæœđðłþı]/g, (char) => SPECIAL[char] ?? '')
    .normalize('NFD')
    .replace(/[^a-z-]/g, '');
}
