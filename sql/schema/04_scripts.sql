-- Kana and Chinese characters: their forms that count as one, and Korean names in katakana.

CREATE FUNCTION is_foreign(value text) RETURNS boolean
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN value ~ '[a-zA-Z\u00c0-\u024f\u1e00-\u1eff\u3041-\u30ff\u3400-\u9fff\uf900-\ufaff\uff21-\uff9d]';
COMMENT ON FUNCTION is_foreign(text) IS 'True when the text has Latin letters, kana or Chinese characters.';

-- Traditional, Japanese and Korean forms have the simplified one as their representative, after Unihan and the tables of OpenCC
-- (Apache-2.0), for the Hanja of KS X 1001 and their variants. 尙, 栢, 餠 and 硏 are the Korean forms of 尚, 柏, 餅 and 研, 芸 is the
-- Japanese one of 藝; 連 and 聯 stay apart. translate() would compare every letter with all 2,200 of the table. The planner makes an object
-- of the two constant lists once per session, in which a letter is looked up.
CREATE FUNCTION han_folded(value text) RETURNS text
LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $$
DECLARE
  letters constant text := normalize(value, NFKC);
  letter text;
  folded text := '';
BEGIN
  IF letters !~ '[\u3400-\u9fff]' THEN
    RETURN letters;
  END IF;
  FOREACH letter IN ARRAY string_to_array(letters, NULL) LOOP
    folded := folded || coalesce(jsonb_object(string_to_array(
      '両乗乾亀亂予亙亜亞仏仮伝佇佈佔來侖価侶侷係俓俔俠俬倆倉個們倖倫倹偉側偵偽傑傘備傢傭傳債傷傾僅僉僑僕僞僥僱價儀儁億儉儘償優儲儷儺儼'
      || '兇兌児兒兩円冑冪凈凍凜処凱別刪則剋剎剛剝剣剤剰創劃劇劉劍劑労効勁勅動務勛勝勞勢勣勧勲勳勵勸勻匯區協単卹卻卽厠厤厭厳參収叢吒吳呂呉'
      || '呪員唄唖唸問啓啞啟喚喪喫喬單営嗇嗚嘆嘔嘗嘩嘯噁噓噛噴噹嚐嚙嚥嚮嚴囌囑団囲図國圍圏園圓圖團圧埰執堅堊堯報場塁塊塋塏塗塚塢塤塩塵塹増'
      || '墜墮墰墳墻墾壇壊壌壎壓壘壙壜壞壟壯壱売壺壽変夢夾奐奧奨奪奬奮妝姦娛婁婦嬋嬌嬢嬪孃孫學実宮寀寛寢實寧審寫寬寵寶対専將專尋對導屆屍屢'
      || '層屬岡峯峴島峽崍崑崗崙嵐嵗嶇嶠嶢嶸嶺嶼嶽巌巒巖巣巻帥師帯帰帳帶幀幟幣幹幾庁広庫廁廂廃廈廕廚廟廠廢廣廬廳弁弐弒弔張強弾彆彈彌彎彔彙'
      || '彥彫彿後徑従從徠復徳徴徵徹応恆恥恵悅悩悪悶悽惡惱惻愛愨愴愷愾慄態慘慟慣慤慫慮慶慼慾憂憊憐憑憚憤憫憮憲憶懇應懐懞懲懶懷懸懺懼戀戇戦'
      || '戰戱戻払抜択抬拋拝拠拡挾捜捨捲掃掛採掲掻揀揚換揮揺損搖搗摂摯摺撃撈撐撓撥撫撲撹撻擁擄擇擊擔據擣擬擲擴擺擾攄攜攝攣攪攬敍敗敘敵數斂'
      || '斃斅斉斎斬斷於旂旣昇時晉晛晝晩暁暈暉暐暘暢暦暫曄曆曇曉曏曖曠書曽會朧朮東枱枴柵柺査栄桜桟桿梔條梟棄棊棗棟棧棲検楊楓楡楨業極楽榘榦'
      || '榮構槍様槨樂樑樓標樞樣権樸樹樺橈橋機檉檜檢檣檯檳檻櫃櫓櫚櫛櫱櫻欄權欒欖欠欽歎歐歓歟歡歩歯歲歳歴歷歸歿殘殞殮殯殲殺殻殼毀毆毎氈気氣'
      || '氾汎汙汚決沒沖沢況泝洩洶浄浜浹浿涇涙涼淒淚淨淩淪淵淺渇済渉渓渙減渦測渾湊湞湧湯満溌準溝溼滄滅滌滎滙滝滯滲滷滸滾滿漁漢漣漬漲漸漿潁'
      || '潑潔潚潛潤潰澐澗澤澮澱澾濁濃濕濚濛濟濤濫濱濾瀅瀆瀉瀋瀏瀕瀘瀝瀟瀧瀨瀬瀰瀾灑灘灝灣災為烏焔無焼煇煉煙煥煩煬熉熒熱熾燁燈燉燒營燦燬燭'
      || '燻燼燾爐爛爭爺爾牀牆牘牽犠犢犧狀狹狽猟猶獄獅獎獣獨獪獰獲獵獸獺獻現琱琺琿瑋瑤瑩瑪璉璡璣環璵璽璿瓊瓏瓔瓚甕産甦甯畝畢畫異畳畵當疇疊'
      || '疏痙痠痩痺瘍瘡瘺瘻療癒癡癢癤癥癩癬癰癲発發皐皰皺盃盜盞盡監盤盧盪県眾睍睏睪瞞瞼矇矯砕硃硯碕碩確碼磯礎礙礪礫礬祕祿禍禎禦禪禮禱禿稅'
      || '稈稜稟種稱稲穀穂積穎穏穡穢穣穩穫窩窪窮窯窺竄竅竇竊竜竪競筆筍箇箋箏節範築篠篤篩簑簞簡簫簽簾籃籌籠籤籬粋粛粧糞糧糰糸糾紀紂約紅紆紇'
      || '紈紋納紐純紗紘紙級紛紡紬紮細紳紵紹紺終絃組絅絆経結絕絞絡絢給絨絪統絲絳絵絹綉綎綏經継続綜綠綢綫綬維綱網綳綴綵綸綺綻綽綾綿緇緊緋総'
      || '緑緒緘線緝緞締緡緣編緩緬緯練緻緼縁縄縉縊縕縛縝縞縟縣縦縫縮縯縱縴縷總績繃繆繊繋繍繒織繕繞繡繩繪繫繭繰繹繼續纍纏纓纔纖纘纜缶缽罈罌'
      || '罎罰罵罷羅羈羣羨義習翫翹聖聞聡聯聰聲聳聴職聽聾肅脅脈脛脣脩脫脳脹腎腦腫腳腸膚膠膽膾膿臍臓臘臟臥臨臺與興舊舎舗艙艤艦艱芻苧荊荘莊莖'
      || '莢華菴菸萊萬葉著葦葯蒍蒐蒓蒔蒼蓀蓆蓋蓮蓴蔔蔘蔞蔣蔥蔭蔯蔵蔿蕁蕎蕓蕩蕪蕭薑薔薦薩薫薬薴薹薺藍藎藝藥藪藴藷藺蘆蘇蘊蘚蘭蘿處虛虜號虧蛍'
      || '蝋蝕蝟蝦蝨蝸螢蟄蟬蟯蟲蟻蠅蠍蠟蠣蠱蠶蠻衆衊術衕衚衛衝衞袞裏補裝裡製複褘褸褻襤襪襬襲覇覈見規覓視覚覡覧親覲観覺覽觀觴觸訂訃計訊訌討'
      || '訓訖託記訛訝訟訣訥訪設許訳訴訶診註証詐詔評詛詞詠詢詣試詩詭詮詰話該詳詵誅誇誌認誕誘語誠誡誣誤誥誦誨說説読誰課誹誼誾調諂諄談請諍諏'
      || '諒論諛諜諡諦諧諫諭諮諱諶諷諸諺諾謀謁謂謄謎謐謔謖謗謙謚講謝謠謡謨謫謬謳謹譁證譎譏識譚譜譭譯議譲譴護譽讀變讒讓讖讚豈豊豎豐豬貓貝貞'
      || '負財貢貧貨販貪貫責貯貰貳貴貶買貸費貼貽貿賀賁賂賃賄資賈賊賑賓賚賛賜賞賠賢賣賤賦質賫賭賴賻購賽贄贅贇贈贊贍贓贖贜趙趨跡踐踰踴蹟蹠蹤'
      || '躊躍躪軀車軋軌軍軒軟転軫軸軻軽軾較輅載輌輒輓輔輕輛輜輝輞輟輦輩輪輯輳輸輻輾輿轄轅轉轍轎轟轢辦辭辯農辺迴逓逕這連週進遅遊運過達違遙'
      || '遜遞遠遡適遲遷選遺遼邁還邇邊邏郵郷鄉鄒鄧鄭鄲酔醋醗醜醣醤醫醬醱醸釀釈釋釐釗釘針釣釧釵鈍鈎鈐鈑鈒鈗鈞鈡鈴鈺鈿鉀鉄鉅鉆鉉鉗鉛鉞鉢鉤鉥'
      || '鉦鉱銀銃銅銑銓銖銘銜銭銳銶銷銹鋌鋏鋒鋤鋪鋭鋳鋸鋼錄錐錘錚錞錟錠錡錢錤錦錨錫錬錮錯録錶鍈鍊鍋鍍鍔鍛鍮鍵鍼鍾鎌鎔鎖鎚鎣鎧鎬鎭鎮鎰鎸鏃'
      || '鏇鏑鏞鏡鏤鏽鐄鐘鐥鐫鐮鐵鐸鑄鑑鑒鑽鑿長門閃閉開閏閑閒間閔閘関閣閤閥閨閭閱閲閻閼闆闇闊闔闕闖闘關闡闢陝陞陣陥陰陳陸険陽隊階隕際隠隨'
      || '險隱隸隻雋雑雖雙雛雜雞離難雲電霊霑霧霽靂靄靈靜鞏鞦韆韋韓韜韻響頁頂頃項順須頊頌預頑頒頓頗領頭頰頴頸頹頻頼頽顆題額顎顏顔顕願類顥顧'
      || '顫顯風颯颱颳飄飛飢飭飯飴飼飽飾餃餅餉養餌餓餘餚餞館餬饅饉饋饌饑饒饗馬馭馮馱馳馴馹駁駅駆駐駑駒駕駙駝駟駡駭駱駿騁騎騏騒験騙騫騰騶騷'
      || '驀驃驅驍驕驗驚驛驟驢驥驪髄髒體髪髮鬆鬍鬚鬥鬧鬨鬱魚魯鮎鮑鮟鮫鮮鯉鯖鯤鯨鰍鰐鰒鰕鰥鰲鰻鱇鱉鱗鱷鳥鳧鳩鳬鳳鳴鳶鴉鴎鴛鴦鴨鴻鵑鵝鵠鵡鵬'
      || '鵰鵲鶇鶏鶩鶯鶴鷄鷗鷲鷸鷹鷺鸚鸞鹵鹹鹽麗麥麪麫麯麵黒黙點黨黴鼈鼕齊齋齎齒齟齡齢齣齧齪齬齷龍龐龕龜尓淸靑敎戶內黃眞溫戸舘値產鄕冊絶爲'
      || '橫麴柹舖尙栢萇餠硏芸', NULL),
      string_to_array(
      '两乘干龟乱豫亘亚亚佛假传伫布占来仑价侣局系𠇹伣侠私俩仓个们幸伦俭伟侧侦伪杰伞备家佣传债伤倾仅佥侨仆伪侥雇价仪俊亿俭尽偿优储俪傩俨'
      || '凶兑儿儿两圆胄幂净冻凛处凯别删则克刹刚剥剑剂剩创划剧刘剑剂劳效劲敕动务勋胜劳势𪟝劝勋勋励劝匀汇区协单恤却即厕历厌严参收丛咤吴吕吴'
      || '咒员呗哑念问启哑启唤丧吃乔单营啬呜叹呕尝哗啸恶嘘啮喷当尝啮咽向严苏嘱团围图国围圈园圆图团压采执坚垩尧报场垒块茔垲涂冢坞埙盐尘堑增'
      || '坠堕坛坟墙垦坛坏壤埙压垒圹坛坏垄壮壹卖壶寿变梦夹奂奥奖夺奖奋妆奸娱娄妇婵娇娘嫔娘孙学实宫采宽寝实宁审写宽宠宝对专将专寻对导届尸屡'
      || '层属冈峰岘岛峡崃昆岗仑岚岁岖峤峣嵘岭屿岳岩峦岩巢卷帅师带归帐带帧帜币干几厅广库厕厢废厦荫厨庙厂废广庐厅瓣贰弑吊张强弹别弹弥弯录汇'
      || '彦雕佛后径从从徕复德征征彻应恒耻惠悦恼恶闷凄恶恼恻爱悫怆恺忾栗态惨恸惯悫怂虑庆戚欲忧惫怜凭惮愤悯怃宪忆恳应怀蒙惩懒怀悬忏惧恋戆战'
      || '战戯戾拂拔择擡抛拜据扩挟搜舍卷扫挂采揭搔拣扬换挥摇损摇捣摄挚折击捞撑挠拨抚扑搅挞拥掳择击担据捣拟掷扩摆扰摅携摄挛搅揽叙败叙敌数敛'
      || '毙𢽾齐斋斩断于旗既升时晋𬀪昼晚晓晕晖𬀩旸畅历暂晔历昙晓向暧旷书曾会胧术东台拐栅拐查荣樱栈杆栀条枭弃棋枣栋栈栖检杨枫榆桢业极乐矩干'
      || '荣构枪样椁乐梁楼标枢样权朴树桦桡桥机柽桧检樯台槟槛柜橹榈栉蘖樱栏权栾榄缺钦叹欧欢欤欢步齿岁岁历历归殁残殒殓殡歼杀壳壳毁殴每毡气气'
      || '泛泛污污决没冲泽况溯泄汹净滨浃𬇙泾泪凉凄泪净凌沦渊浅渴济涉溪涣减涡测浑凑浈涌汤满泼准沟湿沧灭涤荥汇泷滞渗卤浒滚满渔汉涟渍涨渐浆颍'
      || '泼洁㴋潜润溃沄涧泽浍淀㳠浊浓湿溁蒙济涛滥滨滤滢渎泻沈浏濒泸沥潇泷濑濑弥澜洒滩灏湾灾为乌焰无烧𪸩炼烟焕烦炀𤈶荧热炽烨灯炖烧营灿毁烛'
      || '熏烬焘炉烂争爷尔床墙牍牵牺犊牺状狭狈猎犹狱狮奖兽独狯狞获猎兽獭献现雕珐珲玮瑶莹玛琏琎玑环玙玺璇琼珑璎瓒瓮产苏宁亩毕画异叠画当畴叠'
      || '疎痉酸瘦痹疡疮瘘瘘疗愈痴痒疖症癞癣痈癫发发皋疱皱杯盗盏尽监盘卢荡县众𪾢困睾瞒睑蒙矫碎朱砚埼硕确码矶础碍砺砾矾秘禄祸祯御禅礼祷秃税'
      || '秆棱禀种称稻谷穗积颖稳穑秽穰稳获窝洼穷窑窥窜窍窦窃龙竖竞笔笋个笺筝节范筑筿笃筛蓑箪简箫签帘篮筹笼签篱粹肃妆粪粮团丝纠纪纣约红纡纥'
      || '纨纹纳纽纯纱纮纸级纷纺䌷扎细绅纻绍绀终弦组䌹绊经结绝绞络绚给绒𬘡统丝绛绘绢绣𬘩绥经继续综绿绸线绶维纲网绷缀彩纶绮绽绰绫绵缁紧绯总'
      || '绿緖缄线缉缎缔缗缘编缓缅纬练致缊缘绳缙缢缊缚缜缟缛县纵缝缩𬙂纵纤缕总绩绷缪纤系绣缯织缮绕绣绳绘系茧缲绎继续累缠缨才纤缵缆罐钵坛罂'
      || '坛罚骂罢罗羁群羡义习玩翘圣闻聪联聪声耸听职听聋肃胁脉胫唇修脱脑胀肾脑肿脚肠肤胶胆脍脓脐脏腊脏卧临台与兴旧舍铺舱舣舰艰刍苎荆庄庄茎'
      || '荚华庵烟莱万叶着苇药𫇭搜莼莳苍荪席盖莲莼卜参蒌蒋葱荫𫈟藏𫇭荨荞芸荡芜萧姜蔷荐萨薰药苎苔荠蓝荩艺药薮蕴𫉄蔺芦苏蕴藓兰萝处虚虏号亏萤'
      || '蜡蚀猬虾虱蜗萤蛰蝉蛲虫蚁蝇蝎蜡蛎蛊蚕蛮众蔑术同胡卫冲卫衮里补装里制复袆褛亵褴袜摆袭霸核见规觅视觉觋览亲觐观觉览观觞触订讣计讯讧讨'
      || '训讫托记讹讶讼诀讷访设许译诉诃诊注证诈诏评诅词咏询诣试诗诡诠诘话该详诜诛夸志认诞诱语诚诫诬误诰诵诲说说读谁课诽谊訚调谄谆谈请诤诹'
      || '谅论谀谍谥谛谐谏谕咨讳谌讽诸谚诺谋谒谓誊谜谧谑谡谤谦谥讲谢谣谣谟谪谬讴谨哗证谲讥识谭谱毁译议让谴护誉读变谗让谶赞岂丰竖丰猪猫贝贞'
      || '负财贡贫货贩贪贯责贮贳贰贵贬买贷费贴贻贸贺贲赂赁贿资贾贼赈宾赉赞赐赏赔贤卖贱赋质赍赌赖赙购赛贽赘赟赠赞赡赃赎赃赵趋迹践逾踊迹跖踪'
      || '踌跃躏躯车轧轨军轩软转轸轴轲轻轼较辂载辆辄挽辅轻辆辎辉辋辍辇辈轮辑辏输辐辗舆辖辕转辙轿轰轹办辞辩农边回递迳这连周进迟游运过达违遥'
      || '逊递远溯适迟迁选遗辽迈还迩边逻邮乡乡邹邓郑郸醉酢酦丑糖酱医酱酦酿酿释释厘钊钉针钓钏钗钝钩钤钣钑𫟵钧钟铃钰钿钾铁巨钻铉钳铅钺钵钩𬬸'
      || '钲鑛银铳铜铣铨铢铭衔钱锐𨱇销锈铤铗锋锄铺锐铸锯钢录锥锤铮𬭚锬锭锜钱𫓹锦锚锡炼锢错录表锳炼锅镀锷锻𨱎键针钟镰镕锁锤蓥铠镐镇镇镒镌镞'
      || '旋镝镛镜镂锈𨱑钟䦅镌镰铁铎铸鉴鉴钻凿长门闪闭开闰闲闲间闵闸关阁合阀闺闾阅阅阎阏板暗阔阖阙闯斗关阐辟陕升阵陷阴陈陆险阳队阶陨际隐随'
      || '险隐隶只隽杂虽双雏杂鸡离难云电灵沾雾霁雳霭灵静巩秋千韦韩韬韵响页顶顷项顺须顼颂预顽颁顿颇领头颊颖颈颓频赖颓颗题额颚颜颜显愿类颢顾'
      || '颤显风飒台刮飘飞饥饬饭饴饲饱饰饺饼饷养饵饿余肴饯馆糊馒馑馈馔饥饶飨马驭冯驮驰驯驲驳驿驱驻驽驹驾驸驼驷骂骇骆骏骋骑骐骚验骗骞腾驺骚'
      || '蓦骠驱骁骄验惊驿骤驴骥骊髓脏体发发松胡须斗闹哄郁鱼鲁鲇鲍𩽾鲛鲜鲤鲭鲲鲸鳅鳄鳆𫚥鳏鳌鳗𩾌鳖鳞鳄鸟凫鸠凫凤鸣鸢鸦鸥鸳鸯鸭鸿鹃鹅鹄鹉鹏'
      || '雕鹊鸫鸡鹜莺鹤鸡鸥鹫鹬鹰鹭鹦鸾卤咸盐丽麦面面曲面黑默点党霉鳖冬齐斋赍齿龃龄龄出啮龊龉龌龙庞龛龟尔清青教户内黄真温户馆值产乡册绝为'
      || '横曲柿铺尚柏苌饼研艺', NULL)) ->> letter, letter);
  END LOOP;
  RETURN folded;
END $$;
COMMENT ON FUNCTION han_folded(text) IS 'The text with one form of each Chinese character: 江南駅 and 江南驛 are both 江南驿.';

-- As Koreans hear them: hiragana is katakana, voiced is unvoiced, small is large, ム is ン; the long sign and ッ go.
CREATE FUNCTION kana_folded(value text) RETURNS text
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN translate(
  normalize(value, NFKC),
  'ぁあぃいぅうぇえぉおかがきぎくぐけげこごさざしじすずせぜそぞただちぢつづてでとどなにぬねのはばぱひび'
  || 'ぴふぶぷへべぺほぼぽまみむめもゃやゅゆょよらりるれろゎわゐゑをんゔゕゖァィゥェォガギグゲゴザジズゼゾ'
  || 'ダヂヅデドバパビピブプベペボポムャュョヮヰヱヲヴヵヶッー・っ',
  'アアイイウウエエオオカカキキククケケココササシチススセセソソタタチチツツテテトトナニヌネノハハハヒヒ'
  || 'ヒフフフヘヘヘホホホマミンメモヤヤユユヨヨラリルレロワワイエオンフカケアイウエオカキクケコサチスセソ'
  || 'タチツテトハハヒヒフフヘヘホホンヤユヨワイエオフカケ'
);
COMMENT ON FUNCTION kana_folded(text) IS 'The text with kana by sound: プサン, ブサン and ぷさん are the same.';

-- Katakana is made of syllables, so it is not derived from Latin letters, which do not say where a syllable ends (안국 and 앙욱 are
-- both angguk).
--
-- As lists of stations write names: plain consonants are voiced within a word after a vowel or ㄴㄹㅁㅇ, 어 and 오 are both オ, 우
-- and 으 both ウ, final ㄱ, ㄹ, ㅁ, ㅂ are ク, ル, ム, プ. Sounds change as in the official romanisation; besides, what closes a
-- syllable joins ㅎ (북한산 プカンサン), ㄱ and ㅂ become ッ where the next consonant continues them (경복궁 キョンボックン), and ㅁ is ン
-- before ㅁ and ㅂ (남부 ナンブ).
CREATE FUNCTION kana_letters(value text, sound_changes boolean) RETURNS text
LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $$
DECLARE
  -- a, i, u, e, o of ㄱㄲㄴㄷㄸㄹㅁㅂㅃㅅㅆㅇㅈㅉㅊㅋㅌㅍㅎ, then of the voiced ㄱㄷㅂㅈ; 디 and 티, 두 and 투 have no sign of their own
  kana constant text[] := '{{カ,キ,ク,ケ,コ},{カ,キ,ク,ケ,コ},{ナ,ニ,ヌ,ネ,ノ},{タ,ティ,トゥ,テ,ト},{タ,ティ,トゥ,テ,ト},{ラ,リ,ル,レ,ロ},{マ,ミ,ム,メ,モ},
    {パ,ピ,プ,ペ,ポ},{パ,ピ,プ,ペ,ポ},{サ,シ,ス,セ,ソ},{サ,シ,ス,セ,ソ},{ア,イ,ウ,エ,オ},{チャ,チ,チュ,チェ,チョ},{チャ,チ,チュ,チェ,チョ},
    {チャ,チ,チュ,チェ,チョ},{カ,キ,ク,ケ,コ},{タ,ティ,トゥ,テ,ト},{パ,ピ,プ,ペ,ポ},{ハ,ヒ,フ,ヘ,ホ},
    {ガ,ギ,グ,ゲ,ゴ},{ダ,ディ,ドゥ,デ,ド},{バ,ビ,ブ,ベ,ボ},{ジャ,ジ,ジュ,ジェ,ジョ}}'::text[];
  -- for each of the 21 vowels: which of the five, what follows it, which of the five after ㅈㅊ, and the sign without a consonant
  columns constant integer[] := '{1,4,2,4,5,4,2,4,5,3,3,3,2,3,3,3,3,2,3,2,2}'::integer[];
  glides constant text[] := '{"","",ャ,"","","",ョ,"","",ァ,ェ,ェ,ョ,"",ォ,ェ,ィ,ュ,"","",""}'::text[];
  after_ch constant integer[] := '{1,4,1,4,5,4,5,4,5,3,3,3,5,3,3,3,3,3,3,2,2}'::integer[];
  alone constant text[] := '{ア,エ,ヤ,イェ,オ,エ,ヨ,イェ,オ,ワ,ウェ,ウェ,ヨ,ウ,ウォ,ウェ,ウィ,ユ,ウ,イ,イ}'::text[];
  -- ㄱㄲㄳ ㄴㄵㄶ ㄷ ㄹㄺㄻㄼㄽㄾㄿㅀ ㅁ ㅂㅄ ㅅㅆ ㅇ ㅈㅊㅋㅌㅍㅎ: `closing` at the end of a word; `staying` is what
  -- stays before a vowel (- for nothing), `moving` the initial that moves over
  closing constant text := 'kkknnntlkmlllplmppttgttktpt';
  staying constant text := '--k-n---llllll---p--g------';
  moving constant integer[] := '{0,1,9,2,12,2,3,5,0,6,7,9,16,17,5,6,7,9,9,10,11,12,14,15,16,17,11}'::integer[];
  codas constant text := 'クップルムンン';
  -- as spoken_words(), for whole names only
  spoken constant jsonb := '{"신문로": "신문노", "학여울": "항녀울", "알약": "알략"}'::jsonb;
  sign text;
  code integer;
  initial integer;
  vowel integer;
  coda text;
  final integer := 0;
  -- true after a syllable of the same word
  within boolean := false;
  written text := '';
BEGIN
  IF sound_changes AND spoken ? value THEN
    RETURN public.kana_letters(spoken ->> value, true);
  ELSIF value ~ '.입구$' THEN
    RETURN public.kana_letters(left(value, -2), sound_changes) || 'イック';
  END IF;
  FOREACH sign IN ARRAY string_to_array(normalize(value, NFC), NULL) || ''::text LOOP
    code := CASE WHEN sign = '' THEN -1 ELSE ascii(sign) - 44032 END;
    coda := CASE WHEN final > 0 THEN substr(closing, final, 1) ELSE '-' END;
    IF code NOT BETWEEN 0 AND 11171 THEN
      written := written || translate(coda, 'ktplmng-', codas) || CASE WHEN sign ~ '[[:alnum:]]' THEN lower(sign) ELSE '' END;
      final := 0;
      within := sign ~ '[0-9]';
      CONTINUE;
    END IF;
    initial := code / 588;
    vowel := code % 588 / 28;
    IF sound_changes AND final > 0 THEN
      IF initial = 11 THEN
        coda := substr(staying, final, 1);
        initial := CASE WHEN vowel = 20 AND final = 7 THEN 12 WHEN vowel = 20 AND final IN (13, 25) THEN 14 ELSE moving[final] END;
      ELSIF final IN (6, 15, 27) AND initial IN (0, 3, 12) THEN
        coda := CASE final WHEN 6 THEN 'n' WHEN 15 THEN 'l' ELSE '-' END;
        initial := CASE initial WHEN 0 THEN 15 WHEN 3 THEN 16 ELSE 14 END;
      ELSIF final = 27 AND initial = 9 THEN
        coda := '-';
      ELSIF initial IN (2, 5, 6) THEN
        coda := CASE WHEN coda = 'k' THEN 'g' WHEN coda = 't' THEN 'n' WHEN coda = 'n' AND initial = 5 THEN 'l'
          WHEN coda IN ('p', 'm') THEN CASE initial WHEN 6 THEN 'n' ELSE 'm' END ELSE coda END;
        initial := CASE WHEN initial = 6 THEN 6 WHEN coda = 'l' THEN 5 ELSE 2 END;
      ELSIF initial = 18 AND coda IN ('k', 't', 'p') THEN
        initial := CASE coda WHEN 'k' THEN 15 WHEN 't' THEN 16 ELSE 17 END;
        coda := '-';
      ELSIF coda = 'm' AND initial IN (7, 8, 17) THEN
        coda := 'n';
      ELSIF coda IN ('k', 'p') AND initial IN (0, 1, 15) OR coda = 'k' AND initial IN (9, 10) OR coda = 'p' AND initial IN (7, 8, 17) THEN
        coda := 't';
      END IF;
    END IF;
    written := written || translate(coda, 'ktplmng-', codas);
    IF within AND coda IN ('-', 'n', 'l', 'm', 'g') THEN
      initial := CASE initial WHEN 0 THEN 19 WHEN 3 THEN 20 WHEN 7 THEN 21 WHEN 12 THEN 22 ELSE initial END;
    END IF;
    written := written || CASE
      WHEN initial = 11 THEN CASE WHEN vowel = 19 AND written = '' THEN 'ウィ' ELSE alone[vowel + 1] END
      WHEN initial IN (12, 13, 14, 22) AND vowel IN (2, 6, 12, 17) THEN kana[initial + 1][after_ch[vowel + 1]]
      WHEN initial IN (3, 4, 16, 20) AND glides[vowel + 1] = 'ェ' THEN kana[initial + 1][5] || 'ェ'
      ELSE kana[initial + 1][columns[vowel + 1]] || glides[vowel + 1] END;
    within := true;
    final := code % 28;
  END LOOP;
  RETURN written;
END $$;
COMMENT ON FUNCTION kana_letters(text, boolean)
IS 'Korean in katakana by sound, as lists of stations write it (강남 is カンナム), or letter by letter; digits and Latin letters stay.';

CREATE FUNCTION in_kana(value text) RETURNS text
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN kana_letters(value, true);
COMMENT ON FUNCTION in_kana(text) IS 'A Korean name in katakana by sound, as stations have it: 강남 is カンナム.';

-- クィ is what 귀 is written as by the rule, キ what is heard. The length stays, so that positions in a keyword stay valid.
CREATE FUNCTION cjk_evened(value text) RETURNS text
LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $$
DECLARE
  digit text[];
BEGIN
  IF value ~ '[クグくぐ][ィぃ]' THEN
    value := regexp_replace(value, '[クグくぐ][ィぃ]', 'キー', 'g');
  END IF;
  IF value ~ '[一二三四五六七八九](街|カット|格)' THEN
    FOREACH digit SLICE 1 IN ARRAY '{{一,1},{二,2},{三,3},{四,4},{五,5},{六,6},{七,7},{八,8},{九,9}}'::text[] LOOP
      value := regexp_replace(value, digit[1] || '(?=街|カット|格)', digit[2], 'g');
    END LOOP;
  END IF;
  RETURN value;
END $$;
COMMENT ON FUNCTION cjk_evened(text) IS 'The text with numbers before 街 and カット as digits (鍾路三街) and クィ as キ with a long sign.';

-- 네컷, four cuts and 4cuts are one word.
CREATE FUNCTION latin_evened(value text) RETURNS text
LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $$
BEGIN
  RETURN CASE WHEN value ~* 'cut' THEN regexp_replace(value, '(?:four|4|ne)[[:space:]-]*cuts?(?![a-z])', '4cut', 'gi') ELSE value END;
END $$;
COMMENT ON FUNCTION latin_evened(text) IS 'The text with four cuts, 4cuts and necut as 4cut.';
